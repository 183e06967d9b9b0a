import type { JobsFilter, Range } from '../list/jobs-filter.ts'

interface FilterWindow {
  readonly window: Range<Date>
  readonly filter: JobsFilter
}

const EARLIER_MS = 1

/** Splits a filter at its time boundaries, between which `createdAt` is constant. Windows do not overlap. */
export function filterWindows(filter: JobsFilter): FilterWindow[] {
  const bounds = [...new Set(boundsIn(filter))].sort((a, b) => a - b)
  const starts = [null, ...bounds]
  const windows: FilterWindow[] = []
  for (const [index, from] of starts.entries()) {
    const to = bounds[index] ?? null
    const meant = at(filter, from ?? (to ?? 0) - EARLIER_MS)
    if (meant === null) continue
    const last = windows.at(-1)
    const goesOn = last?.window.to?.getTime() === from && JSON.stringify(last?.filter) === JSON.stringify(meant)
    const window = { from: goesOn ? last?.window.from : toDate(from), to: toDate(to) }
    if (goesOn) windows.pop()
    windows.push({ window, filter: meant })
  }
  return windows
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

const partsOf = ({ and, or, not }: JobsFilter): JobsFilter[] => [...(and ?? []), ...(or ?? []), ...(not ? [not] : [])]

const boundsIn = (filter: JobsFilter): number[] => [
  ...[filter.createdAt?.from, filter.createdAt?.to].flatMap((time) => (time == null ? [] : [time.getTime()])),
  ...partsOf(filter).flatMap(boundsIn),
]

/** Null: it matches no job of that time. */
function at(filter: JobsFilter, ms: number): JobsFilter | null {
  const { createdAt, and, or, not, ...own } = filter
  if (createdAt?.from != null && ms < createdAt.from.getTime()) return null
  if (createdAt?.to != null && ms >= createdAt.to.getTime()) return null
  const all = (and ?? []).map((part) => at(part, ms))
  const some = (or ?? []).map((part) => at(part, ms)).filter((part) => part !== null)
  const none = not ? at(not, ms) : null
  if (all.includes(null) || (or && some.length === 0) || (none !== null && isAll(none))) return null
  const needed = all.filter((part): part is JobsFilter => part !== null && !isAll(part))
  return {
    ...own,
    ...(needed.length > 0 && { and: needed }),
    ...(or && !some.some(isAll) && { or: some }),
    ...(none !== null && { not: none }),
  }
}

const isAll = (filter: JobsFilter): boolean => Object.values(filter).every((value) => value == null)
