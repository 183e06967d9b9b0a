import type { ExecutionResult } from 'graphql'
import type { Log } from '../log.ts'
import { maskError } from './errors.ts'

type Results = AsyncIterableIterator<ExecutionResult, undefined>

/** An answer as it may leave. */
export function maskResult(result: ExecutionResult, log: Log, requestId: string): ExecutionResult {
  if (result.errors === undefined) return result
  return { ...result, errors: result.errors.map((error) => maskError(error, log, requestId)) }
}

export const isStream = (result: unknown): result is AsyncIterable<ExecutionResult> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

/** A subscription's answers as they may leave. A stream that breaks off ends with an answer that says why. */
export function maskStream(stream: AsyncIterable<ExecutionResult>, log: Log, requestId: string): Results {
  const source = stream[Symbol.asyncIterator]()
  const last = { done: true, value: undefined } as const
  let broken = false
  const shown = (next: IteratorResult<ExecutionResult, undefined>): IteratorResult<ExecutionResult, undefined> =>
    next.done === true || next.value.errors === undefined
      ? next
      : { done: false, value: maskResult(next.value, log, requestId) }
  const brokenOff = (error: unknown) => {
    broken = true
    return { done: false as const, value: { errors: [maskError(error, log, requestId)] } }
  }
  const results: Results = {
    next: () => (broken ? Promise.resolve(last) : source.next().then(shown, brokenOff)),
    // Handed on rather than queued up behind a `next` that waits, as a generator would.
    return: async () => {
      await source.return?.()
      return last
    },
    throw: async (error) => {
      await source.return?.()
      throw error
    },
    [Symbol.asyncIterator]: () => results,
  }
  return results
}
