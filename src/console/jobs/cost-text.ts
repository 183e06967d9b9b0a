import { count } from '../parts/format.ts'

interface Costing {
  readonly cost: number
  readonly status: string
  readonly startedAt?: string | null
}

/** What a job costs, and what became of that: a job is charged when a worker takes it. */
export function costText({ cost, status, startedAt }: Costing): string {
  const credits = `${count(cost)} credits`
  if (status !== 'FAILED' || cost === 0) return credits
  return `${credits}, ${startedAt ? 'refunded' : 'not charged'}`
}
