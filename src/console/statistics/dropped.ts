import { groupingOf } from './groups.ts'
import { windowOf } from './window.ts'

type Query = Readonly<Record<string, string | undefined>>

/** What an address says of the window and the grouping that means nothing: it is left out. */
export function droppedOf(query: Query): string[] {
  const { range } = windowOf(query, 0)
  const ends = range === null ? [] : (['from', 'to'] as const).filter((name) => query[name])
  const isUnknown = range !== null && query.range && query.range !== range
  const isNoGrouping = query.by && groupingOf(query.by) !== query.by
  return [...ends, ...(isUnknown ? ['range'] : []), ...(isNoGrouping ? ['by'] : [])]
}
