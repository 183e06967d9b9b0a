import { AsyncLocalStorage } from 'node:async_hooks'
import { knownKey, poolOfJob } from '../../catalog/job-kinds.ts'
import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import { BATCH_WAIT } from '../../db/connections/lock-wait.ts'
import { untilAnswered } from '../../db/until-answered.ts'
import { EngineError } from '../../engines/engine.ts'
import { describeError } from '../../errors/describe-error.ts'
import { isDatabaseDown, isDatabaseError, StoreDown } from '../../errors/outages.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import { CutOff, type Delayable, notingEnds, ServerLost, Stopping, StoreAway } from '../../queue/stopping.ts'
import { COMMIT_SPAN } from '../../telemetry/span-names.ts'
import { inStepSpan } from '../../telemetry/spans.ts'
import { type MeasuredParts, secondsSince } from '../../telemetry/telemetry.ts'
import { type AttemptEnd, endValues, NOTED, recordAttemptEnd } from '../attempts/record-attempt-end.ts'
import { JobFailure } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'
import {
  announceLostEnd,
  type EndingParts,
  endJobOnce,
  endJobs,
  type FinishedArtifact,
  type JobEnd,
  type Provenance,
  reportJobEnded,
} from './end-jobs.ts'
import type { Attempt, CompletionParts, Production } from './produce.ts'

const MAX_JOBS = 32
/** A batch that takes longer lets the next one start. */
const HELD_UP = { longestWaitMs: 250 }

const RELEASE = `
  with released as (
    update job set hand_backs = hand_backs + 1 where id = $1 and attempt = $2 and status = 'processing'
    returning id, attempt, started_at
  ), noted as (${notingEnds('released', NOTED)})
  select from released`

export type Settled = 'settled' | undefined

type OutcomeOf<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>

export type Outcome =
  | ({ readonly kind: 'completed' } & Production)
  | { readonly kind: 'failed'; readonly failure: JobFailure; readonly error: unknown }
  | { readonly kind: 'released'; readonly reason: Error; readonly error: unknown }
  | { readonly kind: 'redeliver'; readonly error: unknown }

/**
 * Records an outcome. If another worker has the claim, it only deletes this attempt's files.
 * @throws to make the queue deliver the job again
 */
export async function recordOutcome(attempt: Attempt, outcome: Outcome): Promise<Settled> {
  switch (outcome.kind) {
    case 'completed':
      return recordCompleted(attempt, outcome)
    case 'failed':
      return recordFailed(attempt, outcome)
    case 'released':
      await noteRelease(attempt, outcome.reason)
      throw outcome.error
    case 'redeliver':
      if (isFaultOfDatabase(outcome.error)) await noteRelease(attempt, outcome.error)
      else await noteRedelivery(attempt, outcome.error)
      throw outcome.error
  }
}

async function recordCompleted(attempt: Attempt, production: OutcomeOf<'completed'>): Promise<Settled> {
  const { parts, claim, signal } = attempt
  const { artifacts, provenance } = production
  const begun = performance.now()
  try {
    const completed = await inStepSpan(
      () => COMMIT_SPAN,
      () => record(() => completeJob(parts, claim, artifacts, provenance, parts.row)),
    )
    parts.telemetry.observe('job_stage_seconds', { stage: 'complete' }, secondsSince(begun))
    if (completed) noteProduction(parts, claim, production)
    else await deleteFiles(attempt)
    return completed && parts.row !== undefined ? 'settled' : undefined
  } catch (error) {
    return recordOutcome(attempt, outcomeOf(error, signal))
  }
}

/** @throws RecordFailed if the database is away or refuses the result */
const record = <Result>(write: () => Promise<Result>): Promise<Result> =>
  untilAnswered(write).catch((cause: unknown) => {
    const isOurs = isDatabaseDown(cause) || isDatabaseError(cause)
    throw isOurs ? new RecordFailed('the result could not be recorded', { cause }) : cause
  })

async function recordFailed(attempt: Attempt, { failure, error }: OutcomeOf<'failed'>): Promise<undefined> {
  const { parts, claim, work } = attempt
  const unexpected = isExpected(error) ? {} : { exception: describeError(error) }
  const detail = { code: failure.code, cause: failure.message, ...unexpected }
  const { jobId, accountId, attempt: number } = claim
  const end = { jobId, accountId, attempt: number, failure, provenance: work?.provenance?.() }
  // An earlier commit of this attempt may have completed the job with these files.
  const isEnded = await inStepSpan(
    () => COMMIT_SPAN,
    () => untilAnswered(() => endJobOnce(parts, end)),
  )
  if (!isEnded) return
  parts.log.warn({ jobId: claim.jobId, attempt: claim.attempt, ...detail }, 'a job failed')
  await deleteFiles(attempt)
}

/** An unrecorded release counts. Only a worker that is cut off waits for the database. */
async function noteRelease({ parts, claim, signal }: Attempt, reason: Error): Promise<void> {
  const note = () => recordRelease(parts, claim, endOf(reason, signal))
  await (reason instanceof CutOff ? untilAnswered(note) : note()).catch(() => undefined)
}

async function noteRedelivery({ parts, claim, signal }: Attempt, error: unknown): Promise<void> {
  const note = recordAttemptEnd(parts, { ...claim, workerId: parts.workerId }, endOf(error, signal))
  if (await note.catch(() => false)) notifyJob(parts, claim)
}

const deleteFiles = ({ parts, storageKeys }: Attempt): Promise<unknown> =>
  Promise.allSettled(storageKeys.map((key) => parts.storage.delete(key)))

export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

export class RecordFailed extends Error implements Delayable {
  override readonly name = 'RecordFailed'
  readonly delaySeconds: number | undefined

  constructor(message: string, { delaySeconds, ...options }: ErrorOptions & Delayable = {}) {
    super(message, options)
    this.delaySeconds = delaySeconds
  }
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

const isExpected = (error: unknown): boolean => error instanceof JobFailure || error instanceof EngineError

/** Such attempts do not count. */
const isFaultOfDatabase = (error: unknown): error is LookupFailed | RecordFailed =>
  (error instanceof LookupFailed || error instanceof RecordFailed) && isDatabaseDown(error)

function endOf(error: unknown, signal: AbortSignal): AttemptEnd {
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

/** Completions that arrive while a transaction runs share the next one. */
export const openCompletions = (parts: () => EndingParts): CompletionParts['completions'] =>
  new BatchedCalls(MAX_JOBS, (ends: readonly JobEnd[]) => endJobs(parts(), ends, BATCH_WAIT), HELD_UP)

/**
 * Completes a claimed job with its artifacts, together with others that end now. It is safe to repeat after a lost answer.
 * @param row deleted with the completion
 * @returns false if the claim is lost; nothing was written then
 */
export async function completeJob(
  parts: CompletionParts,
  { jobId, accountId, attempt }: Claim,
  artifacts: readonly FinishedArtifact[],
  provenance: Provenance = {},
  row?: QueueRow,
): Promise<boolean> {
  const end = { jobId, accountId, attempt, artifacts, provenance, row, inScope: AsyncLocalStorage.snapshot() }
  try {
    const ended = await parts.completions.call(end)
    if (ended === null) return announceLostEnd(parts, end)
    reportJobEnded(parts, end, ended)
    return true
  } catch (error) {
    // Another job may have failed the batch; this job's own error comes again.
    parts.log.debug({ jobId, err: (error as Error).message }, 'a completion is written alone')
    return endJobOnce(parts, end)
  }
}

/** A released attempt does not count. It keeps its number, because files and predictions carry it. */
export async function recordRelease(
  parts: Pick<Parts, 'db' | 'notifier'> & MeasuredParts & { readonly workerId: string },
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  end: AttemptEnd,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query(RELEASE, endValues({ ...claim, workerId: parts.workerId }, end))
  if (rowCount !== 1) return
  parts.telemetry.count('jobs_requeued_total', { reason: 'handed_back' })
  notifyJob(parts, claim)
}

/** Called after the commit. */
function noteProduction(
  { telemetry, catalog }: Pick<Parts, 'catalog'> & MeasuredParts,
  { endpointKey, inputs }: Pick<Claim, 'endpointKey' | 'inputs'>,
  { artifacts, renderSeconds }: Pick<Production, 'artifacts' | 'renderSeconds'>,
): void {
  if (!telemetry.measures) return
  const labels = { pool: poolOfJob(catalog, endpointKey), endpoint_key: knownKey(catalog, endpointKey) }
  const audioMs = artifacts.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  telemetry.count('audio_seconds_total', labels, audioMs / 1000)
  telemetry.count('render_seconds_total', labels, renderSeconds)
  if (typeof inputs.text === 'string') telemetry.count('characters_total', labels, [...inputs.text].length)
}
