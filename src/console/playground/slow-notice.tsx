import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import type { Take } from './takes.ts'

/** After this time without progress a take says what it waits for. */
export const SLOW_MS = 3000

/** Says what a take waits for. */
export function SlowNotice({ take: { progress } }: { take: Take }) {
  const { chunksDone, isVoiceLoading } = { chunksDone: null, isVoiceLoading: false, ...progress }
  const state = `${progress?.status} ${chunksDone} ${progress?.queuePosition}`
  const [still, setStill] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setStill(state), SLOW_MS)
    return () => clearTimeout(timer)
  }, [state])
  if (isVoiceLoading) return <Notice>The voice is being loaded.</Notice>
  const reason = reasonOf(progress)
  if (still !== state || reason === null) return null
  return <Notice>{reason}</Notice>
}

const Notice = ({ children }: { children: string }) => (
  <p class="notice" role="status">
    <Icon name="alert" /> {children}
  </p>
)

/** Null: it has ended, parts of it are there, or another notice says it. */
function reasonOf(progress: Take['progress']): string | null {
  if (progress === null) return 'The service has said nothing of it yet.'
  const { status, queuePosition, poolServed, chunksDone } = { chunksDone: null, ...progress }
  if (status === 'PROCESSING')
    return chunksDone ? null : 'A worker has taken it, but the speech server has not answered yet.'
  if (status !== 'QUEUED' || poolServed === false) return null
  return queuePosition !== null && queuePosition > 1
    ? 'Other jobs of your account go first.'
    : 'No worker has taken it yet: all that serve it are busy, or do not answer.'
}
