import { count } from '../parts/format.ts'

interface Costing {
  readonly cost: number
  readonly status: string
  readonly startedAt?: string | null
}

/** What a job costs; a failed one costs nothing: it is charged when a worker takes it, and refunded when it fails. */
export function costText(job: Costing): string {
  return failedCost(job) ?? `${count(job.cost)} ${job.cost === 1 ? 'credit' : 'credits'}`
}

/** The same in a column of figures. */
export const costCell = (job: Costing): string => failedCost(job) ?? count(job.cost)

function failedCost({ cost, status, startedAt }: Costing): string | null {
  if (status !== 'FAILED' || cost === 0) return null
  return startedAt ? 'refunded' : 'not charged'
}
