import { now } from '../api/clock.ts'
import { ago, dayOf, exactTime } from './format.ts'

interface MomentProps {
  readonly at: string | null | undefined
  readonly empty?: string
  /** It lies in the future: its day is said. */
  readonly isAhead?: boolean
}

/** How long ago, with the exact time in its tooltip. */
export function Moment({ at, empty = '–', isAhead = false }: MomentProps) {
  if (!at) return <span class="faint">{empty}</span>
  return (
    <time dateTime={at} title={`${exactTime(at)} (${at})`}>
      {isAhead ? dayOf(at) : ago(at, now.value)}
    </time>
  )
}
