import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '../values/thread-environment.ts'
import { type AudioShares, openAudioShares } from './audio-shares.ts'
import type { AudioAnswer, AudioResult, AudioTask } from './audio-thread.ts'
import type { EncodingOptions } from './encoding.ts'
import { AUDIO_FORMATS, type FileFormat } from './format.ts'
import type { Judgement } from './judge-recording.ts'
import type { SoundKind } from './sound-kind.ts'
import type { Wav } from './wav.ts'

/** A file that is encoded as its samples come. */
export interface AudioEncoder {
  /** The bytes that the samples lead to, which may be none yet. @throws Error when the thread has died */
  push(samples: Int16Array): Promise<Uint8Array>
  /** The rest of the file. */
  end(): Promise<Uint8Array>
  /** Gives it up where it has not ended. */
  drop(): void
}

/** Encodes and decodes audio in threads of its own, off the event loop. */
export interface AudioThreads {
  /** The shares of the accounts in encoders and decoded files. */
  readonly shares: AudioShares
  /** Begins a file that is sent while it grows. */
  startEncoder(options: EncodingOptions): AudioEncoder
  /** A whole file at once. */
  encode(wav: Wav, format: FileFormat): Promise<Uint8Array>
  /** @throws Error where the bytes are not of that format */
  decode(bytes: Uint8Array, format: FileFormat): Promise<Wav>
  /** Whether a recording can be a voice, brought to 24 kHz where it can. @throws Error where it cannot be read */
  judge(bytes: Uint8Array): Promise<Judgement>
  /** Decodes compressed audio from outside, up to a number of seconds. @throws Error if the thread cannot read it */
  read(bytes: Uint8Array, kind: SoundKind, mostSeconds: number): Promise<Wav>
  /** Starts the threads and their libraries, so that the first file does not wait for them. Never rejects. */
  warm(): Promise<void>
  close(): Promise<void>
}

const WARM_SAMPLES = 2400
/** After this time without work a thread ends, unless it is the last one: that is ready for the next file. */
const IDLE_MS = 30_000
/** The libraries of a new one have half of it. One that has more is replaced as soon as it has no work: their memory never shrinks. */
const GROWN_BYTES = 48 * 2 ** 20
const GROWN_IDLE_MS = 1000

/** Up to `most` threads, started when there is something to do. One that dies fails the files in its hands, and no others. */
export const openAudioThreads = (most: number): AudioThreads => new Pool(most)

class Pool implements AudioThreads {
  readonly shares = openAudioShares()
  readonly #most: number
  readonly #threads = new Set<AudioThread>()
  #streams = 0
  #warming: Promise<void> | undefined

  constructor(most: number) {
    this.#most = most
  }

  startEncoder(options: EncodingOptions): AudioEncoder {
    const thread = this.#leastBusy()
    const stream = ++this.#streams
    const started = thread.run({ kind: 'start', stream, options })
    // What went wrong is said to the first push.
    started.catch(() => undefined)
    thread.files++
    let isOpen = true
    const close = (): void => {
      if (isOpen) thread.endFile()
      isOpen = false
    }
    const push = async (samples: Int16Array, isLast: boolean): Promise<Uint8Array> => {
      const pushed = thread.run({ kind: 'push', stream, samples, isLast })
      if (isLast) void pushed.finally(close).catch(() => undefined)
      const [bytes] = await Promise.all([pushed, started])
      return bytes as Uint8Array
    }
    return {
      push: (samples) => push(samples, false),
      end: () => push(new Int16Array(0), true),
      drop: () => {
        if (isOpen) thread.run({ kind: 'drop', stream }).catch(() => undefined)
        close()
      },
    }
  }

  async encode({ samples, sampleRate }: Wav, format: FileFormat): Promise<Uint8Array> {
    return (await this.#leastBusy().run({ kind: 'encode', samples, options: { format, sampleRate } })) as Uint8Array
  }

  async decode(bytes: Uint8Array, format: FileFormat): Promise<Wav> {
    return (await this.#leastBusy().run({ kind: 'decode', bytes, format })) as Wav
  }

  async judge(bytes: Uint8Array): Promise<Judgement> {
    return (await this.#leastBusy().run({ kind: 'judge', bytes })) as Judgement
  }

  async read(bytes: Uint8Array, of: SoundKind, mostSeconds: number): Promise<Wav> {
    return (await this.#leastBusy().run({ kind: 'read', bytes, of, mostSeconds })) as Wav
  }

  warm(): Promise<void> {
    this.#warming ??= this.#warmAll()
    return this.#warming
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  async #warmAll(): Promise<void> {
    while (this.#threads.size < this.#most) this.#start()
    await Promise.all([...this.#threads].map(warmUp))
  }

  /** Called when a thread has had no work for a while. */
  #endIdle(thread: AudioThread): void {
    if (this.#threads.size === 1) {
      if (!thread.isGrown) return
      void warmUp(this.#start())
    }
    this.#threads.delete(thread)
    void thread.close()
  }

  /** The one with the least work. If all have some, another one is started, which opens its libraries before it is the least busy. */
  #leastBusy(): AudioThread {
    const [idlest] = [...this.#threads].sort((a, b) => a.load - b.load)
    if (idlest === undefined) return this.#start()
    if (idlest.load > 0 && this.#threads.size < this.#most) void warmUp(this.#start())
    return idlest
  }

  #start(): AudioThread {
    const thread = new AudioThread({
      onEnd: () => this.#threads.delete(thread),
      onIdle: () => this.#endIdle(thread),
    })
    this.#threads.add(thread)
    return thread
  }
}

/** Has a thread open its libraries. Never rejects. */
async function warmUp(thread: AudioThread): Promise<void> {
  const samples = new Int16Array(WARM_SAMPLES)
  const tasks = AUDIO_FORMATS.map((format) =>
    thread.run({ kind: 'encode', samples, options: { format, sampleRate: 22_050 } }),
  )
  await Promise.allSettled(tasks)
}

/** The messages of a thread to its pool. */
interface ThreadEvents {
  readonly onEnd: () => void
  readonly onIdle: () => void
}

/** One thread: many files at once, one task after the other. */
class AudioThread {
  // What the libraries say about odd files goes nowhere.
  readonly #worker = new Worker(new URL('./audio-thread.ts', import.meta.url), {
    stdout: true,
    stderr: true,
    env: threadEnvironment(),
  })
  readonly #waiting = new Map<number, PromiseWithResolvers<AudioResult>>()
  readonly #events: ThreadEvents
  #heapBytes = 0
  #idle: NodeJS.Timeout | undefined
  #tasks = 0
  #ended: Error | null = null
  /** Files that are being encoded. */
  files = 0

  constructor(events: ThreadEvents) {
    this.#events = events
    this.#worker.unref()
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (answer: AudioAnswer) => this.#settle(answer))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', (code) => this.#end(new Error(`The audio thread exited with code ${code}.`)))
  }

  get load(): number {
    return this.files + this.#waiting.size
  }

  get isGrown(): boolean {
    return this.#heapBytes > GROWN_BYTES
  }

  run(task: AudioTask): Promise<AudioResult> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    clearTimeout(this.#idle)
    const id = ++this.#tasks
    const waiting = Promise.withResolvers<AudioResult>()
    this.#waiting.set(id, waiting)
    // Only a thread at work keeps the process alive.
    this.#worker.ref()
    const { content, own } = ownContent(task)
    this.#worker.postMessage({ id, task: content }, own)
    return waiting.promise
  }

  endFile(): void {
    this.files--
    this.#watchIdle()
  }

  async close(): Promise<void> {
    this.#end(new Error('The audio threads are closed.'))
    await this.#worker.terminate()
  }

  #settle(answer: AudioAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    this.#heapBytes = answer.heapBytes
    if (this.#waiting.size === 0) this.#worker.unref()
    this.#watchIdle()
    if ('error' in answer) waiting?.reject(new Error(answer.error))
    else waiting?.resolve(answer.result)
  }

  #watchIdle(): void {
    if (this.load > 0 || this.#ended !== null) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(this.#events.onIdle, this.isGrown ? GROWN_IDLE_MS : IDLE_MS).unref()
  }

  #end(error: Error): void {
    clearTimeout(this.#idle)
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
    this.#events.onEnd()
  }
}

/** A task with a copy of what it brings: that belongs to its sender, and the buffer around a view would cross over as a whole. */
function ownContent(task: AudioTask): { readonly content: AudioTask; readonly own: ArrayBuffer[] } {
  if (task.kind === 'decode' || task.kind === 'judge' || task.kind === 'read') {
    const bytes = new Uint8Array(task.bytes)
    return { content: { ...task, bytes }, own: [bytes.buffer] }
  }
  if (task.kind !== 'push' && task.kind !== 'encode') return { content: task, own: [] }
  const samples = new Int16Array(task.samples)
  return { content: { ...task, samples }, own: [samples.buffer] }
}
