import { useEffect, useState } from 'preact/hooks'
import { now } from '../../api/clock.ts'
import { useQuery } from '../../api/use-query.ts'
import { jobDetail, jobName } from '../../jobs/job-name.ts'
import { placeOf } from '../../jobs/jobs-address.ts'
import { paletteJobs } from '../../operations.ts'
import { ago } from '../../parts/format.ts'
import { jobsFilterOf, type Offer } from './palette.ts'
import type { Go } from './use-offers.ts'

const PAUSE_MS = 250

interface FoundJobs {
  readonly offers: readonly Offer[]
  /** The service is being asked, or will be as soon as the user stops typing. */
  readonly isAwaited: boolean
  readonly hasFailed: boolean
}

/** Jobs by words of their texts or by the beginning of their ids, asked once the user pauses. A whole id leads to its page without a question. */
export function useFoundJobs(text: string, go: Go): FoundJobs {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const filter = placeOf(settled) === null ? jobsFilterOf(settled) : null
  const { data, failure, isLoading } = useQuery(paletteJobs, filter && { filter })
  if (jobsFilterOf(text) === null || placeOf(text) !== null) return NONE
  if (settled !== text || isLoading) return { ...NONE, isAwaited: true }
  if (data === null || failure !== null) return { ...NONE, hasFailed: failure !== null }
  const offers = data.jobs.edges.map(({ node }) => ({
    id: node.id,
    name: jobName(node),
    kind: `${jobDetail(node)} · ${ago(node.createdAt, now.peek())}`,
    choose: () => go(`/jobs/${node.id}`),
  }))
  return { ...NONE, offers }
}

const NONE: FoundJobs = { offers: [], isAwaited: false, hasFailed: false }
