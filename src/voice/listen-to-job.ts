import { createHash } from 'node:crypto'
import type { AccountHolder } from '../access/actor.ts'
import { FILE_TYPES } from '../audio/format.ts'
import type { SampleStream } from '../audio/transcode.ts'
import type { Parts } from '../context/context.ts'
import { audioGone } from '../errors/service-error.ts'
import { findJob } from '../jobs/job.ts'
import type { Job } from '../jobs/job-shape.ts'
import { type JobErrorCode, JobFailure } from '../jobs/job-states.ts'
import type { JobStates } from '../jobs/live/followers.ts'
import type { JobFeed } from '../jobs/live/job-feed.ts'
import { keepLiveParts, type PartTiming, partKey, partTimingKey } from '../jobs/live-parts.ts'
import type { RelayListener, SpeechRelay } from './speech-relay.ts'
import { listeningEnded, type SpeechParts, storedSpeech, storedUnlessMany, wavSamples } from './stored-speech.ts'

export interface ListenerContext extends SpeechParts, Pick<Parts, 'db'> {
  readonly actor: AccountHolder
  readonly jobFeed: JobFeed
  readonly speechRelay: SpeechRelay
}

interface ListenerInput {
  readonly jobId: string
  readonly signal: AbortSignal
  /** The submitter pays for the job, so the account's limit on decoded audio never refuses it. */
  readonly isSubmitter?: boolean
  /** Called before the samples of each part of a text that comes while it is spoken; never twice for a part. */
  readonly onPart?: (timing: PartTiming) => void
}

/**
 * Streams a voice job of the caller's account while a worker speaks it; waits for the first samples. If another worker repeats the
 * job, the stream continues only with identical samples. It ends once the job is completed.
 * @throws JobFailure if the job fails, UNAVAILABLE if the service stops, the signal's reason when aborted; the stream fails with the
 * same
 */
export async function listenToJob(ctx: ListenerContext, input: ListenerInput): Promise<SampleStream> {
  const states = await ctx.jobFeed.follow(ctx, { jobId: input.jobId, accepts: () => true }, { counted: false })
  const stop = () => void states.return()
  input.signal.addEventListener('abort', stop, { once: true })
  const listener = new Listener(ctx, states, input)
  const close = () => {
    input.signal.removeEventListener('abort', stop)
    stop()
    listener.close()
  }
  try {
    const first = await listener.next()
    const { sampleRate, totalSamples, stored } = listener
    if (first === null || sampleRate === null) throw listeningEnded('there is nothing to hear')
    return { sampleRate, totalSamples, isStored: stored !== null, blocks: listener.from(first, close), close }
  } catch (error) {
    close()
    throw error
  }
}

class Listener {
  readonly #ctx: ListenerContext
  readonly #states: JobStates
  readonly #input: ListenerInput
  readonly #played = new PlayedSamples()
  readonly #relay: RelayListener
  #state: ReturnType<JobStates['next']> | null = null
  #attempt = 0
  #partsRead = 0
  #partsTold = 0
  #partsDone = 0
  #isLastPart = false
  #part: SampleStream | null = null
  #rest: AsyncIterator<Int16Array, void> | null = null
  stored: SampleStream | null = null
  #job: Job | null = null
  sampleRate: number | null = null
  totalSamples: number | undefined

  constructor(ctx: ListenerContext, states: JobStates, input: ListenerInput) {
    this.#ctx = ctx
    this.#states = states
    this.#input = input
    this.#relay = ctx.speechRelay.listen(input.jobId)
  }

  close(): void {
    this.#relay.close()
    this.#part?.close?.()
    this.stored?.close?.()
  }

  async *from(first: Int16Array, onEnd: () => void): AsyncGenerator<Int16Array, void> {
    try {
      for (let block: Int16Array | null = first; block !== null; block = await this.next()) yield block
    } finally {
      onEnd()
    }
  }

  async next(): Promise<Int16Array | null> {
    for (;;) {
      this.#input.signal.throwIfAborted()
      const samples = await this.#read()
      if (samples === 'end') return null
      if (samples === 'wait') await this.#follow()
      else if (samples.length > 0) return samples
    }
  }

  async #read(): Promise<Int16Array | 'end' | 'wait'> {
    if (this.#part !== null) return this.#played.take(await this.#readPart(this.#part))
    if (this.#rest !== null) {
      const { done, value } = await this.#rest.next()
      return done === true ? 'end' : this.#played.take(value as Int16Array)
    }
    const relayed = this.#takeRelayed()
    if (relayed !== null) return this.#played.take(relayed)
    if (this.#partsRead >= this.#partsDone) return this.#isLastPart ? 'end' : 'wait'
    this.#part = await this.#openPart(this.#partsRead++)
    return this.#played.take(await this.#readPart(this.#part))
  }

  #takeRelayed(): Int16Array | null {
    const part = this.#relay.take()
    if (part !== null && part.attempt > this.#attempt) this.#restart(part)
    if (part?.attempt !== this.#attempt || part.index !== this.#partsRead) return null
    this.#tell(this.#partsRead++, part.timing)
    this.#keepRate(part.sampleRate)
    this.totalSamples ??= part.totalSamples
    return part.samples
  }

  async #follow(): Promise<void> {
    this.#state ??= this.#states.next()
    const state = await Promise.race([this.#state, this.#relay.arrival()])
    if (state === null) return
    this.#state = null
    await this.#enter(state)
  }

  async #enter({ done, value: job }: Awaited<ReturnType<JobStates['next']>>): Promise<void> {
    this.#input.signal.throwIfAborted()
    if (done === true || job === undefined) throw listeningEnded('the service is stopping')
    if (job.status === 'failed')
      throw new JobFailure(job.errorCode ?? ('INTERNAL_ERROR' as JobErrorCode), 'the job failed')
    // The relay may be ahead of the feed.
    if (job.attempt < this.#attempt) return
    if (job.attempt > this.#attempt) this.#restart(job)
    this.#job = job
    this.#partsDone = job.partsDone ?? 0
    if (job.status === 'completed') await this.#complete(job)
  }

  #restart({ attempt }: Pick<Job, 'attempt'>): void {
    this.#attempt = attempt
    this.#partsRead = 0
    this.#partsDone = 0
    this.#part?.close?.()
    this.#part = null
    this.#played.restart()
  }

  /** Only a lossless file can continue the parts that the listener has heard. */
  async #complete(job: Job): Promise<void> {
    const found = await findJob(this.#ctx.db.pool, job.id, this.#ctx.actor.accountId)
    const stored = found?.storedOutputs?.find(({ output }) => output === 'audio')
    if (found === null || stored === undefined) throw listeningEnded('the job has no audio')
    if (stored.deletedAt != null) throw audioGone()
    // Only parts have their times with them.
    if (this.#input.onPart !== undefined) return this.#playParts()
    const isExact = stored.contentType === FILE_TYPES.wav || stored.contentType === FILE_TYPES.flac
    if (!isExact && this.#played.length > 0) return this.#playParts()
    // A text in one chunk has no stored parts to fall back on, and is short.
    const owner = this.#input.isSubmitter && job.chunksTotal === 1 ? null : job.accountId
    const read = this.#input.isSubmitter || this.#played.length > 0 ? storedUnlessMany : storedSpeech
    const speech = await read(this.#ctx, owner, stored, this.#input.signal)
    if (speech === null) return this.#playParts()
    this.stored = speech
    this.#keepRate(speech.sampleRate)
    this.#played.restart()
    this.totalSamples = speech.totalSamples
    this.#rest = speech.blocks[Symbol.asyncIterator]() as AsyncIterator<Int16Array, void>
  }

  #playParts(): void {
    const isWhole = this.#played.length === this.totalSamples
    this.#partsDone = isWhole ? 0 : (this.#job?.chunksTotal ?? 0)
    this.#isLastPart = true
  }

  async #openPart(index: number): Promise<SampleStream> {
    const id = this.#job?.id ?? ''
    if (this.#input.onPart !== undefined && index >= this.#partsTold)
      this.#tell(index, await readTiming(this.#ctx, partTimingKey(id, this.#attempt, index)))
    const part = await wavSamples(await this.#ctx.storage.read(partKey(id, this.#attempt, index)))
    this.#keepRate(part.sampleRate)
    return part
  }

  /** Parts live for minutes anyway, so a database failure here must not end the stream. */
  async #keepParts(): Promise<void> {
    const { id = '', status } = this.#job ?? {}
    if (status === 'completed') await keepLiveParts(this.#ctx, id, this.#attempt).catch(() => undefined)
  }

  async #readPart({ blocks }: SampleStream): Promise<Int16Array> {
    await this.#keepParts()
    const { done, value } = await blocks[Symbol.asyncIterator]().next()
    if (done === true) this.#part = null
    return done === true ? new Int16Array(0) : value
  }

  #tell(index: number, timing: PartTiming | undefined): void {
    if (index < this.#partsTold || timing === undefined) return
    this.#partsTold = index + 1
    this.#input.onPart?.(timing)
  }

  #keepRate(sampleRate: number): void {
    this.sampleRate ??= sampleRate
    if (this.sampleRate !== sampleRate) throw new Error('the speech is spoken again at another rate')
  }
}

const readTiming = async ({ storage }: Pick<Parts, 'storage'>, key: string): Promise<PartTiming> =>
  JSON.parse(Buffer.concat(await (await storage.read(key)).toArray()).toString())

/** Tracks the samples that a listener has got, so that a repeated attempt resumes if it yields the very same samples. */
class PlayedSamples {
  #played = createHash('sha256')
  #length = 0
  #repeated = createHash('sha256')
  #position = 0

  get length(): number {
    return this.#length
  }

  restart(): void {
    this.#repeated = createHash('sha256')
    this.#position = 0
  }

  /**
   * Returns the samples not yet heard.
   * @throws Error if the repeated samples differ from those heard
   */
  take(samples: Int16Array): Int16Array {
    const known = Math.min(samples.length, Math.max(0, this.#length - this.#position))
    if (known > 0) this.#repeat(samples.subarray(0, known))
    const fresh = samples.subarray(known)
    this.#played.update(bytesOf(fresh))
    this.#position += samples.length
    this.#length = Math.max(this.#length, this.#position)
    return fresh
  }

  #repeat(samples: Int16Array): void {
    this.#repeated.update(bytesOf(samples))
    if (this.#position + samples.length < this.#length) return
    const [now, before] = [this.#repeated.copy().digest(), this.#played.copy().digest()]
    if (!now.equals(before)) throw new Error('the speech is spoken again, and is another one')
  }
}

const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
