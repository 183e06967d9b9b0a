import { EngineError } from '../../engines/engine.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import { describeError } from '../../errors/describe-error.ts'
import { StoreDown } from '../../errors/store-down.ts'
import { ServerLost, Stopping, StoreAway } from '../../queue/stopping.ts'
import type { AttemptEnd } from '../attempts/note-end.ts'
import { JobFailure } from '../job-states.ts'
import type { Production } from './produce.ts'

/** How one attempt at a job went. `recordOutcome` says what each means for the job's row and for its queue row. */
export type Outcome =
  /** The engine is done, and every file is stored. */
  | ({ readonly kind: 'completed' } & Production)
  /** The job itself is at fault, or its engine: it ends. */
  | { readonly kind: 'failed'; readonly failure: JobFailure; readonly error: unknown }
  /** The worker gave the attempt up on purpose: it does not count. */
  | { readonly kind: 'released'; readonly reason: Error; readonly error: unknown }
  /** The attempt says nothing about the job: the queue delivers it again. */
  | { readonly kind: 'redeliver'; readonly error: unknown }

/** What a job asks for could not be looked up: that says nothing about the job. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

/** The result of a job could not be written: that says nothing about the job either. */
export class RecordFailed extends Error {
  override readonly name = 'RecordFailed'
}

/** The outcome of an attempt that threw `error`. @param signal the attempt's own: its reason says why the attempt was stopped */
export function outcomeOf(error: unknown, signal: AbortSignal): Exclude<Outcome, { kind: 'completed' }> {
  if (signal.reason instanceof Stopping) return { kind: 'released', reason: signal.reason, error }
  if (error instanceof Stopping) return { kind: 'released', reason: error, error }
  if (error instanceof StoreDown) return { kind: 'released', reason: new StoreAway(error.message), error }
  if (signal.aborted || error instanceof LookupFailed || error instanceof RecordFailed) {
    return { kind: 'redeliver', error }
  }
  return { kind: 'failed', failure: failureOf(error), error }
}

/** Any exception of a job's work as the failure that its owner sees. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobFailure) return error
  if (error instanceof EngineError) return new JobFailure(error.code, error.message)
  // A database's message would quote the values of the row.
  const { name, code, message } = describeError(error)
  return new JobFailure('INTERNAL_ERROR', [name, code, message].filter((part) => part !== undefined).join(': '))
}

/** Whether producers and engines fail with such errors by design. */
export const isExpected = (error: unknown): boolean => error instanceof JobFailure || error instanceof EngineError

/** An attempt that ends so says as little about its job as one that was released: however often it happens, the job is not given up. */
export const isFaultOfDatabase = (error: unknown): error is LookupFailed | RecordFailed =>
  (error instanceof LookupFailed || error instanceof RecordFailed) && isDatabaseDown(error)

/** Why an attempt ended whose job is delivered again. @param signal the attempt's own */
export function endOf(error: unknown, signal: AbortSignal): AttemptEnd {
  if (error instanceof Stopping) return { ending: error.ending, cause: error.message }
  if (error instanceof LookupFailed || error instanceof RecordFailed) {
    const ending = error instanceof LookupFailed ? 'lookup_failed' : 'record_failed'
    const cause = `${error.message}: ${failureOf(error.cause).message}`
    return { ending: isFaultOfDatabase(error) ? 'database_away' : ending, cause }
  }
  const reason = signal.reason instanceof Error ? signal.reason.message : String(signal.reason)
  // As the cause of a failure: it may be a server's own words.
  const { message: cause } = new JobFailure('PROVIDER_UNAVAILABLE', reason)
  return { ending: signal.reason instanceof ServerLost ? 'server_lost' : 'replaced', cause }
}
