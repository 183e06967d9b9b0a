import { EngineError } from '../../engines/engine.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import { describeError } from '../../errors/describe-error.ts'
import { StoreDown } from '../../errors/store-down.ts'
import { ServerLost, Stopping, StoreAway } from '../../queue/stopping.ts'
import type { AttemptEnd } from '../attempts/note-end.ts'
import { JobFailure } from '../job-states.ts'
import type { Production } from './produce.ts'

export type Outcome =
  | ({ readonly kind: 'completed' } & Production)
  | { readonly kind: 'failed'; readonly failure: JobFailure; readonly error: unknown }
  | { readonly kind: 'released'; readonly reason: Error; readonly error: unknown }
  | { readonly kind: 'redeliver'; readonly error: unknown }

export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

export class RecordFailed extends Error {
  override readonly name = 'RecordFailed'
}

/** @param signal its reason says why the attempt stopped */
export function outcomeOf(error: unknown, signal: AbortSignal): Exclude<Outcome, { kind: 'completed' }> {
  if (signal.reason instanceof Stopping) return { kind: 'released', reason: signal.reason, error }
  if (error instanceof Stopping) return { kind: 'released', reason: error, error }
  if (error instanceof StoreDown) return { kind: 'released', reason: new StoreAway(error.message), error }
  if (signal.aborted || error instanceof LookupFailed || error instanceof RecordFailed) {
    return { kind: 'redeliver', error }
  }
  return { kind: 'failed', failure: failureOf(error), error }
}

export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobFailure) return error
  if (error instanceof EngineError) return new JobFailure(error.code, error.message)
  // PostgreSQL's message would quote values of the row.
  const { name, code, message } = describeError(error)
  return new JobFailure('INTERNAL_ERROR', [name, code, message].filter((part) => part !== undefined).join(': '))
}

export const isExpected = (error: unknown): boolean => error instanceof JobFailure || error instanceof EngineError

/** Such attempts do not count. */
export const isFaultOfDatabase = (error: unknown): error is LookupFailed | RecordFailed =>
  (error instanceof LookupFailed || error instanceof RecordFailed) && isDatabaseDown(error)

export function endOf(error: unknown, signal: AbortSignal): AttemptEnd {
  if (error instanceof Stopping) return { ending: error.ending, cause: error.message }
  if (error instanceof LookupFailed || error instanceof RecordFailed) {
    const ending = error instanceof LookupFailed ? 'lookup_failed' : 'record_failed'
    const cause = `${error.message}: ${failureOf(error.cause).message}`
    return { ending: isFaultOfDatabase(error) ? 'database_away' : ending, cause }
  }
  const reason = signal.reason instanceof Error ? signal.reason.message : String(signal.reason)
  const { message: cause } = new JobFailure('PROVIDER_UNAVAILABLE', reason)
  return { ending: signal.reason instanceof ServerLost ? 'server_lost' : 'replaced', cause }
}
