import { Readable } from 'node:stream'
import type { CaptionFormat } from '../../audio/caption-format.ts'
import type { Parts } from '../../context/context.ts'
import { StoreAway } from '../../queue/stopping.ts'
import { type MeasuredParts, secondsSince } from '../../telemetry/telemetry.ts'
import { JobFailure } from '../job-states.ts'
import type { Claim } from './claim-job.ts'
import { attemptFolder } from './delete-abandoned-files.ts'
import type { FinishedArtifact, Provenance } from './job-end.ts'
import type { WorkerParts } from './worker-parts.ts'

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
  const limit = AbortSignal.timeout(work.timeLimitSeconds * 1000)
  let isEngineDone = false
  try {
    const begun = performance.now()
    const { files, checkSeconds = 0, ...provenance } = await work.perform(AbortSignal.any([signal, limit]))
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
    if (limit.aborted && !signal.aborted && !isEngineDone) {
      // The store, not the engine, delayed a streamed file.
      if (parts.storeWatch.wasAwaySince(queued)) throw new StoreAway('the store of artifacts was away')
      throw new JobFailure('JOB_TIMEOUT', `the engine took longer than ${work.timeLimitSeconds} s`)
    }
    throw error
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
    const stored = await parts.storage.put(storageKey, file.content, { contentType, signal, hasOwnFolder: true })
    return { output, storageKey, contentType, durationMs, timing, captions, ...stored }
  } finally {
    parts.telemetry.observe('job_stage_seconds', { stage: 'store' }, secondsSince(begun))
    // A store that failed at once has not read the stream.
    if (file.content instanceof Readable) file.content.destroy()
  }
}
