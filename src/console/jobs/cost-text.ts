import { count } from '../parts/format.ts'

interface Costing {
  readonly cost: number
  readonly status: string
  readonly startedAt?: string | null
}

/** The cost of a job. A failed job costs nothing: the service refunds it. */
export function costText(job: Costing): string {
  return failedCost(job) ?? `${count(job.cost)} ${job.cost === 1 ? 'credit' : 'credits'}`
}

/** The cost in a column of figures. */
export const costCell = (job: Costing): string => failedCost(job) ?? count(job.cost)

function failedCost({ cost, status, startedAt }: Costing): string | null {
  if (status !== 'FAILED' || cost === 0) return null
  return startedAt ? 'refunded' : 'not charged'
}
