import { count } from '../parts/format.ts'

interface One {
  readonly error?: { readonly message: string } | null
}

/** What came of each of several, in words: how many were done, how many were refused, and each reason once. */
export function bulkResult(done: string, results: readonly One[]): string {
  const reasons = results.flatMap(({ error }) => (error ? [error.message] : []))
  const words = `${count(results.length - reasons.length)} ${done}`
  return reasons.length === 0
    ? `${words}.`
    : `${words}, ${count(reasons.length)} refused: ${[...new Set(reasons)].join(' ')}`
}
