import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ApiError } from '../api/api-error.ts'
import { Failure } from '../parts/failure.tsx'
import { Page } from '../parts/page.tsx'

/** An error of one screen is shown in its place, until its user tries again or goes to another one: the rest of the page stays. */
export function BrokenScreen({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((thrown) => reportError(thrown))
  const { path } = useLocation()
  useEffect(reset, [path])
  if (error === undefined) return <>{children}</>
  const failure = new ApiError(`The console cannot show this screen: ${error.message}`, { code: 'SCREEN_FAILED' })
  return (
    <Page title="Not shown">
      <Failure failure={failure} onRetry={reset} />
    </Page>
  )
}
