import { count } from '../parts/format.ts'

/** What came of one of several. */
export interface BulkOne {
  readonly id: string
  /** The path of the screen that shows it. */
  readonly path: string
  /** Why it was refused, in words; null: it was not. */
  readonly refusal: string | null
}

/** What came of several, in words: how many were done, and how many were refused. */
export function bulkResult(done: string, ones: readonly BulkOne[]): string {
  const refused = ones.filter(({ refusal }) => refusal !== null).length
  const words = `${count(ones.length - refused)} ${done}`
  return refused === 0 ? `${words}.` : `${words}, ${count(refused)} refused.`
}
