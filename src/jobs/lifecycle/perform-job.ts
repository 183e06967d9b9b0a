import { StoreDown } from '../../errors/outages.ts'
import { ServerLost, ServerUnwell, Stopping } from '../../queue/stopping.ts'
import { secondsSince } from '../../telemetry/telemetry.ts'
import { countEndings, noteWorker } from '../attempts/record-attempt-end.ts'
import { JobFailure } from '../job-states.ts'
import { type Claim, claimJob } from './claim-job.ts'
import { type Attempt, produce, type Work, type WorkerParts } from './produce.ts'
import { LookupFailed, type Outcome, outcomeOf, RecordFailed, recordOutcome, type Settled } from './record-outcome.ts'

/** A job that has lost this many workers may be what kills them. */
const MAX_ATTEMPTS = 5
/** A job that finds every server unwell may be what makes them so. */
const MAX_RELEASES = 20
const FULL_DELAY_SECONDS = 60

/** @throws JobFailure if the claim's endpoint or inputs are gone; after any other error the job is delivered again */
type Producer = (claim: Claim) => Work | Promise<Work>

/**
 * Claims, charges and produces a job, and records its outcome. It is safe to repeat.
 * @returns 'settled' if its queue row was deleted with its end
 * @throws if the queue must deliver the job again
 */
export async function performJob(
  parts: WorkerParts,
  jobId: string,
  signal: AbortSignal,
  producer: Producer,
): Promise<Settled> {
  const begun = parts.claimed?.since ?? performance.now()
  const claiming = claimJob(parts, jobId)
  const claim = await (parts.claims?.taking(jobId, claiming) ?? claiming)
  parts.telemetry.observe('job_stage_seconds', { stage: 'claim' }, secondsSince(begun))
  if (claim === null) return undefined
  const attempt: Attempt = { parts, claim, signal, storageKeys: [] }
  try {
    if (claim.attempt > 1) await noteWorker(parts, { ...claim, workerId: parts.workerId }).catch(() => undefined)
    return await recordOutcome(attempt, await run(attempt, producer))
  } finally {
    parts.claims?.forget(claim)
  }
}

async function run(attempt: Attempt, producer: Producer): Promise<Outcome> {
  try {
    attempt.signal.throwIfAborted()
    failExhausted(attempt.claim)
    attempt.work = await findWork(attempt, producer)
    return { kind: 'completed', ...(await produce(attempt, attempt.work)) }
  } catch (error) {
    return (await failingServers(attempt, error)) ?? outcomeOf(await judged(attempt, error), attempt.signal)
  }
}

/** If the store accepts other files, the attempt counts, or the job would be retried for ever. */
async function judged({ parts, claim }: Attempt, error: unknown): Promise<unknown> {
  if (!(error instanceof StoreDown) || (await parts.storeWatch.isAwayNow())) return error
  const delaySeconds = roomDelay(claim)
  return new RecordFailed('a file of the job could not be stored', { cause: error, delaySeconds })
}

/** There may be room for a large file in minutes: after the first attempt, each waits twice as long as the one before. */
const roomDelay = ({ attempt, releases }: Claim): number | undefined => {
  const counted = attempt - releases
  return counted > 1 ? FULL_DELAY_SECONDS * 2 ** (counted - 2) : undefined
}

function failExhausted({ attempt, releases }: Claim): void {
  if (attempt - releases > MAX_ATTEMPTS) {
    throw new JobFailure('INTERNAL_ERROR', `gave up after ${MAX_ATTEMPTS} attempts`)
  }
}

async function failingServers({ parts, claim, signal }: Attempt, error: unknown): Promise<Outcome | null> {
  const reason = signal.reason ?? error
  const hasLost = reason instanceof ServerLost && claim.attempt - claim.releases >= MAX_ATTEMPTS
  const mayBeFault = reason instanceof ServerUnwell && claim.releases >= MAX_RELEASES
  // Most releases have other reasons.
  if (!hasLost && !(mayBeFault && (await countEndings(parts, claim.jobId, reason.ending)) >= MAX_RELEASES)) return null
  return { kind: 'failed', failure: new JobFailure('PROVIDER_UNAVAILABLE', reason.message), error: reason }
}

async function findWork({ claim, parts: { storeWatch } }: Attempt, producer: Producer): Promise<Work> {
  try {
    return await producer(claim)
  } catch (error) {
    if (error instanceof JobFailure || error instanceof Stopping) throw error
    // Otherwise the attempt counts, or the job would be retried for ever.
    if (error instanceof StoreDown && (await storeWatch.isAwayNow())) throw error
    throw new LookupFailed('what the job asks for could not be looked up', { cause: error })
  }
}
