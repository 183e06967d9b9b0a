import { count } from '../parts/format.ts'

/** The result for one of several. */
export interface BulkOne {
  readonly id: string
  /** How people recognise it; without it its id is shown. */
  readonly name?: string
  /** The path of the screen that shows it; null: it is gone. */
  readonly path: string | null
  /** Why it was refused, in words; null: it was not. */
  readonly refusal: string | null
}

/** Says how many the service accepted and how many it refused. */
export function bulkResult(done: string, ones: readonly BulkOne[]): string {
  const refused = ones.filter(({ refusal }) => refusal !== null).length
  const words = `${count(ones.length - refused)} ${done}`
  return refused === 0 ? `${words}.` : `${words}, ${count(refused)} refused.`
}
