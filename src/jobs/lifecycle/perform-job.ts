import { StoreDown } from '../../errors/store-down.ts'
import { ServerLost, Stopping } from '../../queue/stopping.ts'
import { secondsSince } from '../../telemetry/telemetry.ts'
import { noteWorker } from '../attempts/note-end.ts'
import { JobFailure } from '../job-states.ts'
import { type Claim, claimJob } from './claim-job.ts'
import { LookupFailed, type Outcome, outcomeOf, RecordFailed } from './outcome.ts'
import { type Attempt, produce, type Work } from './produce.ts'
import { recordOutcome, type Settled } from './record-outcome.ts'
import type { WorkerParts } from './worker-parts.ts'

/** A job whose workers died this often is not tried again: it may be what kills them. Released attempts do not count. */
const MAX_ATTEMPTS = 5

/**
 * Finds what a claim asks for.
 * @throws JobFailure where that is no longer there; any other error leaves that open, and the job is delivered again
 */
type Producer = (claim: Claim) => Work | Promise<Work>

/**
 * One worker's way with one job: claim and charge, find the work, produce, record. Running it twice for one job is harmless.
 * @returns 'settled' where its delivery was taken out of the queue together with the job's end
 * @throws when the job must be delivered again: the database is away, what it asks for could not be looked up, or `signal` was aborted
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
    // Of a job that is tried again alone. Where it cannot be noted, the attempt goes on.
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
    return failingServers(attempt) ?? outcomeOf(await judged(attempt, error), attempt.signal)
  }
}

/** A file that a store refuses although it takes others counts as an attempt, or its job would be tried for ever. */
const judged = async ({ parts }: Attempt, error: unknown): Promise<unknown> =>
  error instanceof StoreDown && !(await parts.storeWatch.isAwayNow())
    ? new RecordFailed('a file of the job could not be stored', { cause: error })
    : error

function failExhausted({ attempt, releases }: Claim): void {
  if (attempt - releases > MAX_ATTEMPTS) {
    throw new JobFailure('INTERNAL_ERROR', `gave up after ${MAX_ATTEMPTS} attempts`)
  }
}

/** A job whose last attempt ended with its worker's server is not delivered again: it says why while that is known. */
function failingServers({ claim, signal }: Attempt): Outcome | null {
  const { reason } = signal
  if (!(reason instanceof ServerLost) || claim.attempt - claim.releases < MAX_ATTEMPTS) return null
  return { kind: 'failed', failure: new JobFailure('PROVIDER_UNAVAILABLE', reason.message), error: reason }
}

async function findWork({ claim, parts: { storeWatch } }: Attempt, producer: Producer): Promise<Work> {
  try {
    return await producer(claim)
  } catch (error) {
    if (error instanceof JobFailure || error instanceof Stopping) throw error
    // One file that cannot be read counts, or its job would be tried for ever.
    if (error instanceof StoreDown && (await storeWatch.isAwayNow())) throw error
    throw new LookupFailed('what the job asks for could not be looked up', { cause: error })
  }
}
