import { Readable } from 'node:stream'
import { untilAnswered } from '../../db/until-answered.ts'
import { EngineError } from '../../engines/engine.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import { describeError } from '../../errors/describe-error.ts'
import { CutOff, Stopping } from '../../queue/stopping.ts'
import { JobFailure } from '../job-states.ts'
import { type Claim, claimJob } from './claim-job.ts'
import type { ClaimRegistry } from './claim-registry.ts'
import { completeJob, type FinishedArtifact } from './complete-job.ts'
import { attemptFolder } from './delete-abandoned-files.ts'
import type { EndingParts, Provenance } from './end-job.ts'
import { failJob } from './fail-job.ts'
import { recordRelease } from './record-release.ts'

/** A job whose workers died this often is not tried again: it may be what kills them. What they gave back does not count. */
const MAX_ATTEMPTS = 5

/** One output before it is stored. */
export interface ProducedFile {
  /** The name in the job's `outputs`. */
  readonly output: string
  /** What follows the output's name in its storage key, such as `.wav`; may be empty. */
  readonly extension: string
  readonly content: Uint8Array | Readable
  readonly contentType: string
  readonly durationMs: number | null
}

/** Everything that one run of an engine brought. Files are taken one by one: the next is asked for when the last one is stored. */
export interface Produced extends Provenance {
  readonly files: Iterable<ProducedFile> | AsyncIterable<ProducedFile>
}

/** A claimed job in the words of its producer: how long it may take, and what does it. */
interface Work {
  readonly timeLimitSeconds: number
  /** What the engine has said of its work so far: kept also where the job fails. */
  provenance?(): Provenance
  /** Waits for its ticket where the engine takes few at once: not part of the time limit. */
  awaitTicket?(signal: AbortSignal): Promise<void>
  /** Releases the ticket as soon as the engine is done. @throws EngineError, JobFailure; or the signal's reason when aborted */
  perform(signal: AbortSignal): Promise<Produced>
}

/** What a worker has beside the parts of its runtime. */
export interface WorkerParts extends EndingParts {
  /** Where claims under way are noted; absent: they are not noted. */
  readonly held?: ClaimRegistry
}

/**
 * Finds what a claim asks for.
 * @throws JobFailure where that is no longer there; any other error leaves that open, and the job is delivered again
 */
type Producer = (claim: Claim) => Work | Promise<Work>

/** What a job needs could not be looked up: that says nothing about the job. */
class NotFoundOut extends Error {
  override readonly name = 'NotFoundOut'
}

/** What a job came to could not be written down: that says nothing about the job either. */
class NotRecorded extends Error {
  override readonly name = 'NotRecorded'
}

const sparesTheJob = (error: unknown): boolean => error instanceof NotFoundOut || error instanceof NotRecorded

/**
 * A worker's whole way with one job: claim and charge, perform, store, finish. Running it twice for one job is harmless.
 * @throws when the job must be delivered again: the database is away, what it asks for could not be looked up, or `signal` was aborted
 */
export async function performJob(
  parts: WorkerParts,
  jobId: string,
  signal: AbortSignal,
  producer: Producer,
): Promise<void> {
  const claim = await claimJob(parts, jobId)
  if (claim === null) return
  const letGo = parts.held?.hold(claim)
  await performClaim(parts, claim, signal, producer).finally(letGo)
}

async function performClaim(parts: EndingParts, claim: Claim, signal: AbortSignal, producer: Producer): Promise<void> {
  const storageKeys: string[] = []
  let work: Work | undefined
  try {
    if (claim.attempt - claim.releases > MAX_ATTEMPTS)
      throw new JobFailure('INTERNAL_ERROR', `gave up after ${MAX_ATTEMPTS} attempts`)
    work = await workOf(claim, producer)
    const { artifacts, provenance } = await produce(parts, claim, work, signal, storageKeys)
    const finished = await record(() => completeJob(parts, claim, artifacts, provenance))
    if (!finished) await deleteAll(parts, storageKeys)
  } catch (error) {
    const isGivenBack = error instanceof Stopping || signal.reason instanceof Stopping
    if (isGivenBack) await noteHandBack(parts, claim, signal)
    if (isGivenBack || signal.aborted || sparesTheJob(error)) throw error
    const failure = failureOf(error)
    const trouble = isExpected(error) ? {} : { trouble: describeError(error) }
    const told = { code: failure.code, cause: failure.message, ...trouble }
    parts.log.warn({ jobId: claim.jobId, attempt: claim.attempt, ...told }, 'a job failed')
    const failed = await untilAnswered(() => failJob(parts, claim, failure, work?.provenance?.()))
    // Otherwise the answer to the commit may have been lost: the job may be completed, with these very files.
    if (failed) await deleteAll(parts, storageKeys)
  }
}

/** @throws NotRecorded while the database is away, full, or out of something else */
const record = (write: () => Promise<boolean>): Promise<boolean> =>
  untilAnswered(write).catch((cause: unknown) => {
    throw isDatabaseDown(cause) ? new NotRecorded('the result could not be recorded', { cause }) : cause
  })

/** What cannot be noted counts as an attempt: a stopping worker does not wait for a database that is away, any other does. */
async function noteHandBack(parts: EndingParts, claim: Claim, signal: AbortSignal): Promise<void> {
  const note = () => recordRelease(parts, claim)
  await (signal.reason instanceof CutOff ? untilAnswered(note) : note()).catch(() => undefined)
}

async function workOf(claim: Claim, producer: Producer): Promise<Work> {
  try {
    return await producer(claim)
  } catch (error) {
    if (error instanceof JobFailure || error instanceof Stopping) throw error
    throw new NotFoundOut('what the job asks for could not be looked up', { cause: error })
  }
}

/** Performs and stores within the time limit; the engine is stopped when that is over or the job is taken away. */
async function produce(parts: EndingParts, claim: Claim, work: Work, signal: AbortSignal, storageKeys: string[]) {
  await work.awaitTicket?.(signal)
  const limit = AbortSignal.timeout(work.timeLimitSeconds * 1000)
  let isEngineDone = false
  try {
    const { files, ...provenance } = await work.perform(AbortSignal.any([signal, limit]))
    const artifacts: FinishedArtifact[] = []
    for await (const file of files) {
      const storageKey = `${attemptFolder(claim.jobId, claim.attempt)}/${file.output}${file.extension}`
      storageKeys.push(storageKey)
      isEngineDone = !(file.content instanceof Readable)
      artifacts.push(await store(parts, file, storageKey, signal))
    }
    return { artifacts, provenance }
  } catch (error) {
    if (limit.aborted && !signal.aborted && !isEngineDone) {
      throw new JobFailure('JOB_TIMEOUT', `the engine took longer than ${work.timeLimitSeconds} s`)
    }
    throw error
  }
}

/** Not within the time limit: that is the engine's, and what it made may wait for a store that is away. */
async function store(
  parts: EndingParts,
  file: ProducedFile,
  storageKey: string,
  signal: AbortSignal,
): Promise<FinishedArtifact> {
  const { output, contentType, durationMs } = file
  try {
    const stored = await parts.storage.put(storageKey, file.content, { contentType, signal })
    return { output, storageKey, contentType, durationMs, ...stored }
  } finally {
    // A store that failed at once has not even begun to read.
    if (file.content instanceof Readable) file.content.destroy()
  }
}

const deleteAll = (parts: EndingParts, storageKeys: readonly string[]): Promise<unknown> =>
  Promise.all(storageKeys.map((key) => parts.storage.delete(key)))

/** Any exception of a job's work as the failure that its owner sees. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobFailure) return error
  if (error instanceof EngineError) return new JobFailure(error.code, error.message)
  // A database's message would quote the values of the row.
  const { name, code, message } = describeError(error)
  return new JobFailure('INTERNAL_ERROR', [name, code, message].filter((part) => part !== undefined).join(': '))
}

const isExpected = (error: unknown): boolean => error instanceof JobFailure || error instanceof EngineError
