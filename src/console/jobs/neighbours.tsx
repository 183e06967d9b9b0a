import { useMemo } from 'preact/hooks'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { NeighbourButtons } from '../lists/neighbour-buttons.tsx'
import { jobNeighbours } from '../operations.ts'
import { useAddress } from '../parts/use-address.ts'
import { listQuery } from './jobs-address.ts'
import { filterOf, orderOf } from './jobs-filter.ts'

/** To the jobs before and after it in the list that it was opened from, whose filters its address has kept. */
export function Neighbours({ id }: { id: string }) {
  const { query } = useAddress()
  const kept = listQuery(query)
  const { filter } = useMemo(() => filterOf(query, timeNow()), [kept])
  const orderBy = orderOf(query)
  const { data } = useQuery(jobNeighbours, { jobId: id, filter, ...(orderBy && { orderBy }) })
  const { previous, next } = data?.job.neighbours ?? {}
  const hrefOf = (job: { id: string } | null | undefined): string | undefined =>
    job ? at(`/jobs/${job.id}${kept}`) : undefined
  return <NeighbourButtons noun="job" previous={hrefOf(previous)} next={hrefOf(next)} />
}
