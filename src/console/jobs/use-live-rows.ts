import { useEffect, useRef, useState } from 'preact/hooks'
import { follow } from '../api/follow.ts'
import { type JobRowFragment, type JobsFilter, jobsLive } from '../operations.ts'
import { belongs, isMissed, mergeJobs, notBehind } from './live-jobs.ts'

type Row = JobRowFragment

interface LiveRows {
  readonly rows: readonly Row[]
  /** Jobs of the filter that began since the page was loaded. */
  readonly newer: number
}

/** The rows of a page as their jobs change. New jobs are counted, and shown only when the reader asks: rows stay where they are. */
export function useLiveRows(
  loaded: readonly Row[],
  filter: JobsFilter,
  isPaused: boolean,
  onMissed: () => void,
): LiveRows {
  const [state, setState] = useState<State>({ rows: loaded, newer: new Set() })
  const latest = useRef(loaded)
  const asked = useRef(filter)
  asked.current = filter
  const wasPaused = useRef(false)
  useEffect(() => {
    latest.current = loaded
    setState((before) => ({ rows: notBehind(loaded, before.rows), newer: new Set() }))
  }, [loaded])
  // A job that leaves the filter's state has to be seen leaving.
  const { statuses: _statuses, errorCodes: _errorCodes, completedAt: _completedAt, ...followed } = filter
  useEffect(() => {
    if (isPaused) {
      wasPaused.current = true
      return
    }
    if (wasPaused.current) onMissed()
    wasPaused.current = false
    let isFirst = true
    return follow(jobsLive, { filter: followed }, ({ jobsChanged }) => {
      // It begins with what is unfinished now: what ended before it, while nothing was followed, is asked for.
      if (isFirst && isMissed(latest.current, jobsChanged)) onMissed()
      isFirst = false
      setState((before) => changed(before, jobsChanged as readonly Row[], latest.current, asked.current))
    })
  }, [JSON.stringify(followed), isPaused])
  return { rows: state.rows, newer: state.newer.size }
}

interface State {
  readonly rows: readonly Row[]
  readonly newer: ReadonlySet<string>
}

function changed(before: State, jobs: readonly Row[], loaded: readonly Row[], filter: JobsFilter): State {
  const merged = mergeJobs(before.rows, jobs)
  const newer = new Set(before.newer)
  for (const job of merged.newer)
    if (job.createdAt > placeOfNew(loaded, filter) && belongs(job, filter)) newer.add(job.id)
    else newer.delete(job.id)
  return { rows: merged.rows, newer }
}

/** After which time of a page's rows a job that is not among them is new there: old jobs come into the states of a filter as well. */
function placeOfNew(rows: readonly Row[], { statuses, errorCodes, completedAt }: JobsFilter): string {
  const place = statuses || errorCodes || completedAt ? rows.at(-1) : rows[0]
  return place?.createdAt ?? ''
}
