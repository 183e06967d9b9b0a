import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import lazy from 'preact-iso/lazy'
import { ApiError } from '../api/api-error.ts'
import { comebacks } from '../api/follow.ts'
import { Failure } from '../parts/failure.tsx'
import { Page } from '../parts/page.tsx'
import { reloadForFiles, reloadWhereServed } from './new-version.ts'

/**
 * A screen with a file of its own, which may be gone with the version that this page is of, or with the connection. WebKit hands out an empty
 * module where a file that has thrown is loaded once more.
 */
export const screenFile = <Props,>(load: () => Promise<ComponentType<Props> | undefined>) =>
  lazy(() =>
    load()
      .catch(load)
      .catch(() => undefined)
      .then((screen) => screen ?? (GoneScreen as ComponentType<Props>)),
  )

const GONE = 'This screen could not be loaded from the service.'

function GoneScreen() {
  const back = comebacks.value
  useEffect(() => void reloadForFiles(), [back])
  const failure = new ApiError(GONE, { code: 'OFFLINE' })
  return (
    <Page title="Not loaded">
      <Failure failure={failure} onRetry={() => void reloadWhereServed()} />
    </Page>
  )
}
