import { type Noted, noted, notedSince } from '../api/socket/noted-changes.ts'
import type { JobsFilter } from '../operations.ts'
import { belongs, mergeJobs } from './live-jobs.ts'

/** Longer than a list takes to be answered. */
const KEPT_MS = 60_000
/** If a page has more changed jobs, only the newest stay. */
const MAX_KEPT = 2000

interface Row {
  readonly id: string
  readonly status: string
  readonly errorCode?: string | null
  readonly createdAt: string
}

/** The rows of a page as their jobs change. */
export interface LiveState<Job extends Row> {
  readonly rows: readonly Job[]
  /** Jobs of the filter that are not among the rows, and would stand before them. */
  readonly newer: ReadonlySet<string>
  /** The last news of each job. */
  readonly heard: Noted<Job>
}

/** Removes deleted jobs from the list. */
export function withoutRows<Job extends Row>(before: LiveState<Job>, ids: readonly string[]): LiveState<Job> {
  if (ids.length === 0) return before
  const gone = new Set(ids)
  return {
    rows: before.rows.filter(({ id }) => !gone.has(id)),
    newer: new Set([...before.newer].filter((id) => !gone.has(id))),
    heard: new Map([...before.heard].filter(([id]) => !gone.has(id))),
  }
}

/** @param loaded the rows as they were answered @param at when it was heard, by a clock that only rises */
export function whenHeard<Job extends Row>(
  before: LiveState<Job>,
  jobs: readonly Job[],
  { loaded, filter, at }: { readonly loaded: readonly Job[]; readonly filter: JobsFilter; readonly at: number },
): LiveState<Job> {
  const merged = mergeJobs(before.rows, jobs)
  const newer = new Set(before.newer)
  for (const job of merged.newer)
    if (job.createdAt > placeOfNew(loaded, filter) && belongs(job, filter)) newer.add(job.id)
    else newer.delete(job.id)
  const changed = new Map(jobs.map((job) => [job.id, job] as const))
  return { rows: merged.rows, newer, heard: kept(before.heard, changed, at) }
}

/** Keeps news for an answer that is on its way; shown rows have it already. */
function kept<Job>(before: Noted<Job>, changed: ReadonlyMap<string, Job>, at: number): Noted<Job> {
  const others = [...notedSince(before, at - KEPT_MS)].filter(([id]) => !changed.has(id))
  return new Map([...noted(new Map(others), changed, at)].slice(-MAX_KEPT))
}

/** A page that was answered anew, with what was heard since it was asked for: the answer may not know of that. */
export function whenLoaded<Job extends Row>(
  { heard }: LiveState<Job>,
  {
    loaded,
    filter,
    askedAt,
  }: { readonly loaded: readonly Job[]; readonly filter: JobsFilter; readonly askedAt: number },
): LiveState<Job> {
  const since = notedSince(heard, askedAt)
  const begun = { rows: loaded, newer: new Set<string>(), heard: since }
  const jobs = [...since.values()].map(({ row }) => row)
  return { ...whenHeard(begun, jobs, { loaded, filter, at: askedAt }), heard: since }
}

/** After which time of a page's rows a job that is not among them is new there: old jobs come into the states of a filter as well. */
function placeOfNew(rows: readonly Row[], { statuses, errorCodes, completedAt }: JobsFilter): string {
  const place = statuses || errorCodes || completedAt ? rows.at(-1) : rows[0]
  return place?.createdAt ?? ''
}
