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

/** One output before it is stored. */
export interface ProducedFile {
  /** The name in the job's `outputs`. */
  readonly output: string
  /** Takes the place of `output` in the storage key, which has no upper-case letters; absent: the name fits as it is. */
  readonly fileName?: string
  /** What follows the output's name in its storage key, such as `.wav`; may be empty. */
  readonly extension: string
  readonly content: Uint8Array | Readable
  readonly contentType: string
  readonly durationMs: number | null
  /** Of speech: when its words are heard, as it is stored. */
  readonly timing?: Uint8Array
  /** Which captions of it are among the job's outputs. */
  readonly captions?: readonly CaptionFormat[]
}

/** Everything that one run of an engine brought. Files are taken one by one: the next is asked for when the last one is stored. */
export interface Produced extends Provenance {
  /** Of the time that the work took: to check what the engine gave. */
  readonly checkSeconds?: number
  readonly files: Iterable<ProducedFile> | AsyncIterable<ProducedFile>
}

/** A claimed job in the words of its producer: how long it may take, and what does it. */
export interface Work {
  readonly timeLimitSeconds: number
  /** What the engine has said of its work so far: kept also where the job fails. */
  provenance?(): Provenance
  /** Waits for its ticket where the engine takes few at once: not part of the time limit. */
  awaitTicket?(signal: AbortSignal): Promise<void>
  /** Releases the ticket as soon as the engine is done. @throws EngineError, JobFailure; or the signal's reason when aborted */
  perform(signal: AbortSignal): Promise<Produced>
}

/** One worker's attempt at a claimed job, as it goes on. */
export interface Attempt {
  readonly parts: WorkerParts
  readonly claim: Claim
  /** Aborted when the job was cancelled, belongs to another worker or must be released. */
  readonly signal: AbortSignal
  /** Of every file that was begun: the files to delete where the job does not complete. */
  readonly storageKeys: string[]
  /** Absent until it is known. */
  work?: Work
}

/** What came of the work, stored. */
export interface Production {
  readonly artifacts: readonly FinishedArtifact[]
  readonly provenance: Provenance
  /** What the work took, without its waits for a ticket and for the store. */
  readonly renderSeconds: number
}

/**
 * Performs the work and stores its files. The time limit is the engine's, from its ticket on: the engine is stopped when that is over or
 * `signal` is aborted. What it has made is stored without a limit, and a file that is streamed from it counts as its work.
 * @throws JobFailure JOB_TIMEOUT, and what the work or the storage throws
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
      // A file that is streamed from the engine waits for the store in its time.
      if (parts.storeWatch.wasAwaySince(queued)) throw new StoreAway('the store of artifacts was away')
      throw new JobFailure('JOB_TIMEOUT', `the engine took longer than ${work.timeLimitSeconds} s`)
    }
    throw error
  }
}

/** Not within the time limit: that is the engine's, and what it made may wait for a store that is away. */
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
    // A store that failed at once has not even begun to read.
    if (file.content instanceof Readable) file.content.destroy()
  }
}
