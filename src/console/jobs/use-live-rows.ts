import { useEffect, useRef, useState } from 'preact/hooks'
import { follow } from '../api/follow.ts'
import { type JobRowFragment, type JobsFilter, jobsLive } from '../operations.ts'
import { isMissed } from './live-jobs.ts'
import { type LiveState, whenHeard, whenLoaded, withoutRows } from './live-rows.ts'

type Row = JobRowFragment

interface LiveRows {
  readonly rows: readonly Row[]
  /** Jobs of the filter that began since the page was loaded. */
  readonly newer: number
}

/**
 * The rows of a page as their jobs change. New jobs are counted, and shown only when the reader asks: rows stay where they are.
 * @param askedAt when the rows were asked for: what changed since, the answer may not know
 */
export function useLiveRows(
  loaded: readonly Row[],
  askedAt: number,
  filter: JobsFilter,
  isPaused: boolean,
  onMissed: () => void,
): LiveRows {
  const [state, setState] = useState<LiveState<Row>>({ rows: loaded, newer: new Set(), heard: new Map() })
  const latest = useRef(loaded)
  const asked = useRef(filter)
  asked.current = filter
  const wasPaused = useRef(false)
  useEffect(() => {
    latest.current = loaded
    setState((before) => whenLoaded(before, { loaded, filter: asked.current, askedAt }))
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
    return follow(jobsLive, { filter: followed }, ({ jobChanges: { jobs, removedIds } }) => {
      // It begins with what is unfinished, or ended while the list was read. What ended earlier, while nothing was followed, is asked for.
      if (isFirst && isMissed(latest.current, jobs)) onMissed()
      isFirst = false
      const at = performance.now()
      setState((before) =>
        whenHeard(withoutRows(before, removedIds), jobs, { loaded: latest.current, filter: asked.current, at }),
      )
    })
  }, [JSON.stringify(followed), isPaused])
  return { rows: state.rows, newer: state.newer.size }
}
