import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import lazy from 'preact-iso/lazy'
import { comebacks } from '../api/follow.ts'
import { Refusal } from '../api/refusal.ts'
import { Failure } from '../parts/failure.tsx'
import { Page } from '../parts/page.tsx'
import { reloadWithDraft } from '../playground/draft.ts'
import { reloadForFiles } from './new-version.ts'

/** A screen with a file of its own, which may be gone with the version that this page is of, or with the connection. */
export const screenFile = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  lazy(() => load().catch(() => GoneScreen as ComponentType<Props>))

const GONE = new Refusal('This screen could not be loaded from the service.', { code: 'OFFLINE' })

function GoneScreen() {
  const back = comebacks.value
  useEffect(() => void reloadForFiles(), [back])
  return (
    <Page title="Not loaded">
      <Failure failure={GONE} onRetry={reloadWithDraft} />
    </Page>
  )
}
