import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { jobNeighbours } from '../operations.ts'
import { Icon } from '../parts/icon.tsx'
import { useAddress } from '../parts/use-address.ts'
import { useLetters } from '../shell/use-letters.ts'
import { listQuery } from './jobs-address.ts'
import { filterOf, orderOf } from './jobs-filter.ts'

/** To the jobs before and after it in the list that it was opened from, whose filters its address has kept. */
export function Neighbours({ id }: { id: string }) {
  const { query } = useAddress()
  const { route } = useLocation()
  const kept = listQuery(query)
  const { filter } = useMemo(() => filterOf(query, timeNow()), [kept])
  const orderBy = orderOf(query)
  const { data } = useQuery(jobNeighbours, { jobId: id, filter, ...(orderBy && { orderBy }) })
  const { previous, next } = data?.job.neighbours ?? {}
  const hrefOf = (job: { id: string } | null | undefined): string | undefined =>
    job ? at(`/jobs/${job.id}${kept}`) : undefined
  const go = (job: { id: string } | null | undefined): void => {
    const href = hrefOf(job)
    if (href !== undefined) route(href, true)
  }
  useLetters({ j: () => go(next), k: () => go(previous) })
  return (
    <span class="row neighbours">
      <button
        type="button"
        class="button only-icon"
        aria-label="Previous job"
        title="Previous job (k)"
        disabled={!previous}
        onClick={() => go(previous)}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        class="button only-icon"
        aria-label="Next job"
        title="Next job (j)"
        disabled={!next}
        onClick={() => go(next)}
      >
        <Icon name="right" />
      </button>
    </span>
  )
}
