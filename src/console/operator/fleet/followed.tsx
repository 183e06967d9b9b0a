import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { timeNow } from '../../api/clock.ts'
import { liveState } from '../../api/follow.ts'
import { clockTime } from '../../parts/format.ts'

/** Live content: grey and with its time while the page cannot follow it. */
export function Followed({ children }: { children: ComponentChildren }) {
  const isCut = liveState.value === 'reconnecting'
  const since = useMemo(() => clockTime(new Date(timeNow()).toISOString()), [isCut])
  return (
    <>
      {isCut && (
        <p class="notice warn" role="status">
          These figures are as of {since}: the connection is lost.
        </p>
      )}
      <div class={isCut ? 'refreshing' : undefined}>{children}</div>
    </>
  )
}
