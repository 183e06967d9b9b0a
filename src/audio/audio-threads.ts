import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '../values/thread.ts'
import { openAudioShares } from './audio-shares.ts'
import type { AudioAnswer, AudioResult, AudioTask } from './audio-thread.ts'
import type { EncodingOptions, Marks } from './encoding.ts'
import { AUDIO_FORMATS, type FileFormat } from './format.ts'
import type { Judgement } from './read-recording.ts'
import type { SoundKind } from './sound-kind.ts'
import type { Wav } from './wav.ts'

export interface AudioEncoder {
  /** Perhaps no bytes yet. @throws Error if the thread died */
  push(samples: Int16Array): Promise<Uint8Array>
  end(): Promise<Uint8Array>
  drop(): void
}

const WARM_SAMPLES = 2400
const IDLE_MS = 30_000
/** A thread above this is replaced when idle, because the libraries' memory never shrinks. */
const GROWN_BYTES = 48 * 2 ** 20
const GROWN_IDLE_MS = 1000

/** Encodes and decodes audio off the event loop. A dying thread fails only its own files. */
export class AudioThreads {
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

  async encode({ samples, sampleRate }: Wav, format: FileFormat, marks?: Marks): Promise<Uint8Array> {
    const options = { ...marks, format, sampleRate }
    return (await this.#leastBusy().run({ kind: 'encode', samples, options })) as Uint8Array
  }

  /** @throws Error if the bytes are not of that format */
  async decode(bytes: Uint8Array, format: FileFormat): Promise<Wav> {
    return (await this.#leastBusy().run({ kind: 'decode', bytes, format })) as Wav
  }

  /** Returns the recording at 24 kHz or its violation. @throws Error if it cannot be read */
  async judge(bytes: Uint8Array): Promise<Judgement> {
    return (await this.#leastBusy().run({ kind: 'judge', bytes })) as Judgement
  }

  /** @throws Error if it cannot be read */
  async read(bytes: Uint8Array, of: SoundKind, mostSeconds: number): Promise<Wav> {
    return (await this.#leastBusy().run({ kind: 'read', bytes, of, mostSeconds })) as Wav
  }

  /** Never rejects. */
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

  #endIdle(thread: AudioThread): void {
    if (this.#threads.size === 1) {
      if (!thread.isGrown) return
      void warmUp(this.#start())
    }
    this.#threads.delete(thread)
    void thread.close()
  }

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

async function warmUp(thread: AudioThread): Promise<void> {
  const samples = new Int16Array(WARM_SAMPLES)
  const tasks = AUDIO_FORMATS.map((format) =>
    thread.run({ kind: 'encode', samples, options: { format, sampleRate: 22_050 } }),
  )
  await Promise.allSettled(tasks)
}

interface ThreadEvents {
  readonly onEnd: () => void
  readonly onIdle: () => void
}

class AudioThread {
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

/** Transferring a view would move the sender's whole buffer, so this copies. */
function ownContent(task: AudioTask): { readonly content: AudioTask; readonly own: ArrayBuffer[] } {
  if (task.kind === 'decode' || task.kind === 'judge' || task.kind === 'read') {
    const bytes = new Uint8Array(task.bytes)
    return { content: { ...task, bytes }, own: [bytes.buffer] }
  }
  if (task.kind !== 'push' && task.kind !== 'encode') return { content: task, own: [] }
  const samples = new Int16Array(task.samples)
  return { content: { ...task, samples }, own: [samples.buffer] }
}
