import { rangeOf } from '../windows/time-window.ts'
import type { TimeWindow } from './window.ts'

/** Whose jobs are counted: one account's that is named, those of all, or else of the reader's own. */
export interface Whose {
  readonly account?: string
  readonly all?: boolean
}

/** The path of the jobs that a figure counts: in the list of its readers, of the same window, by its name where lists have it. */
export function jobsAddress(
  { account, all }: Whose,
  { from, to, range }: Pick<TimeWindow, 'from' | 'to' | 'range'>,
  filter: Record<string, string>,
): string {
  const ends = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const window = range !== null && rangeOf(range, to) !== null ? { window: range } : ends
  const query = new URLSearchParams({ ...filter, ...window, ...(account && { account }) })
  return `${account || all ? '/operator/jobs' : '/jobs'}?${query}`
}
