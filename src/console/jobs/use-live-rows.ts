import { useEffect, useRef, useState } from 'preact/hooks'
import { follow } from '../api/follow.ts'
import { type JobFilter, type JobRowFragment, type JobsFilter, jobsLive } from '../operations.ts'
import { gatherJobs, mergeJobs } from './live-jobs.ts'

type Row = JobRowFragment

export interface LiveRows {
  readonly rows: readonly Row[]
  /** Jobs that began since the page was loaded. */
  readonly newer: number
}

/** The rows of a page as their jobs change. New jobs are counted, and shown only when the reader asks: rows stay where they are. */
export function useLiveRows(loaded: readonly Row[], filter: JobsFilter, isPaused: boolean): LiveRows {
  const [state, setState] = useState<{ rows: readonly Row[]; newer: ReadonlySet<string> }>({
    rows: loaded,
    newer: new Set(),
  })
  const latest = useRef(loaded)
  useEffect(() => {
    latest.current = loaded
    setState({ rows: loaded, newer: new Set() })
  }, [loaded])
  const small = smallFilter(filter)
  useEffect(() => {
    if (isPaused) return
    const live = gatherJobs<Row>(
      (changes) =>
        setState((before) => {
          const merged = mergeJobs(before.rows, changes)
          const fresh = merged.newer.filter(({ createdAt }) => createdAt > (latest.current[0]?.createdAt ?? ''))
          return { rows: merged.rows, newer: new Set([...before.newer, ...fresh.map(({ id }) => id)]) }
        }),
      (ms, run) => {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    )
    const stop = follow(jobsLive, { filter: small }, ({ jobsUpdated }) => live.push(jobsUpdated as Row))
    return () => {
      stop()
      live.stop()
    }
  }, [JSON.stringify(small), isPaused])
  return { rows: state.rows, newer: state.newer.size }
}

/** Of all changes, those that the list may show: by type, key and time. Statuses change, so they filter nothing here. */
function smallFilter({ types, apiKeyIds, createdAt }: JobsFilter): JobFilter {
  return {
    ...(types?.length === 1 && { type: types[0]! }),
    ...(apiKeyIds?.length === 1 && { apiKeyId: apiKeyIds[0]! }),
    ...(createdAt?.from && { from: createdAt.from }),
  }
}
