import { Readable } from 'node:stream'
import type { CaptionFormat } from '../../audio/format.ts'
import type { BatchedCalls } from '../../concurrency/batch-calls.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import { timeLimit } from '../../concurrency/time-limit.ts'
import type { Parts } from '../../context/context.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import { StoreAway } from '../../queue/stopping.ts'
import type { StoreWatch } from '../../storage/store-watch.ts'
import { type MeasuredParts, secondsSince } from '../../telemetry/telemetry.ts'
import { JobFailure } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { Claim, ClaimParts, ClaimRegistry } from './claim-job.ts'
import type { EndedJob, EndingParts, FinishedArtifact, JobEnd, Provenance } from './end-jobs.ts'

/** A live worker of an abandoned attempt deletes its files itself after its next heartbeat. */
export const GRACE_MS = 600_000
const PAGE_ROWS = 1000
const AT_ONCE = 8
/** Attempts count from 1: the files of this one belong to all attempts of a job. */
const SHARED = 0

/** Maintenance keeps the files that attempts share until their job has ended for as long. */
const ABANDONED = `
  select x.job_id, x.attempt from abandoned_attempt x
  where x.abandoned_at <= now() - $1 * interval '1 millisecond' and not exists (
    select from artifact a where a.job_id = x.job_id and starts_with(a.storage_key, x.job_id || '/' || x.attempt || '/'))
    and (x.attempt <> ${SHARED} or not exists (select from job j
      where j.id = x.job_id and (j.completed_at is null or j.completed_at > now() - $1 * interval '1 millisecond')))
  order by x.abandoned_at limit ${PAGE_ROWS}`

export interface ProducedFile {
  readonly output: string
  /** The storage key has no upper-case letters. */
  readonly fileName?: string
  readonly extension: string
  readonly content: Uint8Array | Readable
  readonly contentType: string
  readonly durationMs: number | null
  readonly timing?: Uint8Array
  readonly captions?: readonly CaptionFormat[]
}

/** Files are pulled one by one. */
export interface Produced extends Provenance {
  readonly checkSeconds?: number
  readonly files: Iterable<ProducedFile> | AsyncIterable<ProducedFile>
}

export interface Work {
  readonly timeLimitSeconds: number
  provenance?(): Provenance
  awaitTicket?(signal: AbortSignal): Promise<void>
  /** @throws EngineError, JobFailure; or the signal's reason when aborted */
  perform(signal: AbortSignal): Promise<Produced>
}

export interface Attempt {
  readonly parts: WorkerParts
  readonly claim: Claim
  /** Aborted if the job was cancelled, belongs to another worker or must be released. */
  readonly signal: AbortSignal
  readonly storageKeys: string[]
  work?: Work
}

export interface Production {
  readonly artifacts: readonly FinishedArtifact[]
  readonly provenance: Provenance
  readonly renderSeconds: number
}

export interface CompletionParts extends EndingParts {
  readonly completions: BatchedCalls<JobEnd, EndedJob | null>
}

export interface WorkerParts extends ClaimParts, CompletionParts {
  readonly workerId: string
  readonly storeWatch: StoreWatch
  readonly claims?: ClaimRegistry
  readonly row?: QueueRow
}

interface Row {
  job_id: string
  attempt: number
}

export interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * Performs the work and stores its files. The time limit covers the engine and streamed files, not the storing of finished files.
 * @throws JobFailure JOB_TIMEOUT, and errors of work or storage
 */
export async function produce({ parts, claim, signal, storageKeys }: Attempt, work: Work): Promise<Production> {
  const { telemetry } = parts
  const queued = performance.now()
  if (parts.storeWatch.isAway) throw new StoreAway('the store of artifacts is away')
  await work.awaitTicket?.(signal)
  telemetry.observe('job_stage_seconds', { stage: 'turn' }, secondsSince(queued))
  const limit = timeLimit(work.timeLimitSeconds * 1000)
  let isEngineDone = false
  try {
    const begun = performance.now()
    const { files, checkSeconds = 0, ...provenance } = await work.perform(AbortSignal.any([signal, limit.signal]))
    const renderSeconds = secondsSince(begun)
    telemetry.observe('job_stage_seconds', { stage: 'render' }, renderSeconds - checkSeconds)
    if (checkSeconds > 0) telemetry.observe('job_stage_seconds', { stage: 'check' }, checkSeconds)
    const artifacts: FinishedArtifact[] = []
    for await (const file of files) {
      const storageKey = `${attemptFolder(claim.jobId, claim.attempt)}/${file.fileName ?? file.output}${file.extension}`
      storageKeys.push(storageKey)
      isEngineDone = !(file.content instanceof Readable)
      artifacts.push(await store(parts, file, storageKey, signal))
    }
    return { artifacts, provenance, renderSeconds }
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted && !isEngineDone) {
      // The store, not the engine, delayed a streamed file.
      if (parts.storeWatch.wasAwaySince(queued)) throw new StoreAway('the store of artifacts was away')
      throw new JobFailure('JOB_TIMEOUT', `the engine took longer than ${work.timeLimitSeconds} s`)
    }
    throw error
  } finally {
    limit.close()
  }
}

async function store(
  parts: Pick<Parts, 'storage'> & MeasuredParts,
  file: ProducedFile,
  storageKey: string,
  signal: AbortSignal,
): Promise<FinishedArtifact> {
  const { output, contentType, durationMs, timing, captions } = file
  const begun = performance.now()
  try {
    const stored = await parts.storage.put(storageKey, file.content, { contentType, signal })
    return { output, storageKey, contentType, durationMs, timing, captions, ...stored }
  } finally {
    parts.telemetry.observe('job_stage_seconds', { stage: 'store' }, secondsSince(begun))
    // A store that failed at once has not read the stream.
    if (file.content instanceof Readable) file.content.destroy()
  }
}

/**
 * Deletes files of up to 1,000 attempts that did not complete their jobs.
 * @returns the number of attempts
 */
export async function deleteAbandonedFiles(
  { db, storage }: Pick<Parts, 'db' | 'storage'>,
  graceMs = GRACE_MS,
): Promise<number> {
  const { rows } = await db.pool.query<Row>(ABANDONED, [graceMs])
  await inParallel(rows, AT_ONCE, async ({ job_id, attempt }) => {
    await storage.deleteBelow(attemptFolder(job_id, attempt))
    await db.prisma.abandonedAttempt.deleteMany({ where: { jobId: job_id, attempt } })
  })
  return rows.length
}

/** Attempts share no folder for their outputs, so an abandoned attempt overwrites nothing. */
const attemptFolder = (jobId: string, attempt: number): string => `${jobId}/${attempt}`

/** The folder of what all attempts of a job share. Call `noteShared` before a file is put there. */
export const sharedFolder = (jobId: string): string => attemptFolder(jobId, SHARED)

/** Lets maintenance delete what the attempts share once their job has ended. */
export async function noteShared({ db }: Pick<Parts, 'db'>, jobId: string): Promise<void> {
  const text = 'insert into abandoned_attempt (job_id, attempt) values ($1, $2) on conflict do nothing'
  await db.pool.query({ name: 'note_shared', text, values: [jobId, SHARED] })
}

/** Writes nothing if the claim is lost or the job has ended. */
export async function recordProgress(
  parts: Pick<Parts, 'db' | 'notifier'>,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  { done, total }: Progress,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query({
    name: 'record_progress',
    text: `update job set chunks_done = $3, chunks_total = $4
           where id = $1 and attempt = $2 and status = 'processing'`,
    values: [claim.jobId, claim.attempt, done, total],
  })
  if (rowCount === 1) notifyJob(parts, claim)
}

/** Writes nothing if the claim is lost or the job has ended. */
export async function recordLoading(
  parts: Pick<Parts, 'db' | 'notifier'>,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  isLoading: boolean,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query({
    name: 'record_loading',
    text: `update job set loading_attempt = $3 where id = $1 and attempt = $2 and status = 'processing'`,
    values: [claim.jobId, claim.attempt, isLoading ? claim.attempt : null],
  })
  if (rowCount === 1) notifyJob(parts, claim)
}

/** Records what the engine reports, also after a cancellation. Known values stay. */
export async function recordProvenance(
  { db }: Pick<Parts, 'db'>,
  claim: Pick<Claim, 'jobId' | 'attempt'>,
  { providerJobId = null, gpuExecutionTimeMs = null }: Provenance,
): Promise<void> {
  await db.pool.query({
    name: 'record_provenance',
    text: `update job set provider_job_id = $3,
             gpu_execution_time_ms = case when provider_job_id = $3 then coalesce($4, gpu_execution_time_ms) else $4 end
           where id = $1 and attempt = $2 and status in ('processing', 'failed')`,
    values: [claim.jobId, claim.attempt, providerJobId, gpuExecutionTimeMs],
  })
}
