import type { ExecutionResult } from 'graphql'
import type { Log } from '../../values/log.ts'
import { maskError } from './errors.ts'

export function maskResult(result: ExecutionResult, log: Log, requestId: string): ExecutionResult {
  if (result.errors === undefined) return result
  return { ...result, errors: result.errors.map((error) => maskError(error, log, requestId)) }
}

export const isStream = <Stream extends AsyncIterable<unknown>>(result: ExecutionResult | Stream): result is Stream =>
  Symbol.asyncIterator in result
