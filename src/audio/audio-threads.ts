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
interface AudioEncoder {
  /** The bytes that the samples lead to, which may be none yet. @throws Error when the thread has died */
  push(samples: Int16Array): Promise<Uint8Array>
  /** The rest of the file. */
  end(): Promise<Uint8Array>
  /** Gives it up where it has not ended. */
  drop(): void
}

/** Encodes and decodes audio in threads of its own, off the event loop. */
export interface AudioThreads {
  /** Of reading what is stored. */
  readonly shares: AudioShares
  /** Begins a file that is sent while it grows. */
  startEncoder(options: EncodingOptions): AudioEncoder
  /** A whole file at once. */
  encode(wav: Wav, format: FileFormat): Promise<Uint8Array>
  /** @throws Error where the bytes are not of that format */
  decode(bytes: Uint8Array, format: FileFormat): Promise<Wav>
  /** Whether a recording can be a voice, brought to 24 kHz where it can. @throws Error where it cannot be read */
  judge(bytes: Uint8Array): Promise<Judgement>
  /** What compressed audio of somebody else's holds, and no more than so many seconds of it. @throws Error where it cannot be read */
  read(bytes: Uint8Array, kind: SoundKind, mostSeconds: number): Promise<Wav>
  /** Starts the threads and their libraries, so that the first file does not wait for them. Never rejects. */
  warm(): Promise<void>
  close(): Promise<void>
}

const WARM_SAMPLES = 24_000

/** Up to `most` threads, started when there is something to do and kept. One that dies fails the files in its hands, and no others. */
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
      if (isOpen) thread.files--
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
    const wav = { samples: new Int16Array(WARM_SAMPLES), sampleRate: 22_050 }
    const tasks = [...this.#threads].flatMap((thread) =>
      AUDIO_FORMATS.map((format) =>
        thread.run({ kind: 'encode', samples: wav.samples, options: { format, sampleRate: wav.sampleRate } }),
      ),
    )
    await Promise.allSettled(tasks)
  }

  /** One without work, else a new one, else the one with the least. */
  #leastBusy(): AudioThread {
    const [idlest] = [...this.#threads].sort((a, b) => a.load - b.load)
    if (idlest !== undefined && (idlest.load === 0 || this.#threads.size >= this.#most)) return idlest
    return this.#start()
  }

  #start(): AudioThread {
    const thread = new AudioThread(() => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
  }
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
  readonly #onEnd: () => void
  #tasks = 0
  #ended: Error | null = null
  /** Files that are being encoded. */
  files = 0

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
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

  run(task: AudioTask): Promise<AudioResult> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    const id = ++this.#tasks
    const waiting = Promise.withResolvers<AudioResult>()
    this.#waiting.set(id, waiting)
    // Only a thread at work keeps the process alive.
    this.#worker.ref()
    const { content, own } = ownContent(task)
    this.#worker.postMessage({ id, task: content }, own)
    return waiting.promise
  }

  async close(): Promise<void> {
    this.#end(new Error('The audio threads are closed.'))
    await this.#worker.terminate()
  }

  #settle(answer: AudioAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in answer) waiting?.reject(new Error(answer.error))
    else waiting?.resolve(answer.result)
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
    this.#onEnd()
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
