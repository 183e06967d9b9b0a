import { groupingOf } from './groups.ts'
import { windowOf } from './window.ts'

type Query = Readonly<Record<string, string | undefined>>

/** Finds parameters of the window and the grouping that mean nothing; the page leaves them out. */
export function droppedOf(query: Query): string[] {
  const { range } = windowOf(query, 0)
  const ends = range === null ? [] : (['from', 'to'] as const).filter((name) => query[name])
  const isUnknown = range !== null && query.range && query.range !== range
  const isNoGrouping = query.by && groupingOf(query.by) !== query.by
  return [...ends, ...(isUnknown ? ['range'] : []), ...(isNoGrouping ? ['by'] : [])]
}
