import { ago, exactTime } from './format.ts'
import { now } from './now.ts'

/** How long ago, with the exact time in its tooltip. */
export function Moment({ at, empty = '–' }: { at: string | null | undefined; empty?: string }) {
  if (!at) return <span class="faint">{empty}</span>
  return (
    <time dateTime={at} title={`${exactTime(at)} (${at})`}>
      {ago(at, now.value)}
    </time>
  )
}
