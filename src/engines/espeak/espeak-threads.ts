import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '../../values/thread-environment.ts'
import type { Rendering, RenderTask, ThreadData, ThreadMessage } from './espeak-thread.ts'
import { closeVoiceData, openVoiceData, type VoiceData } from './voice-data.ts'

/** A thread holds 40 MB and takes a second to be as quick again. */
const IDLE_MS = 5 * 60_000
/** One that has not started by then never will: it is ended, so that another one can. */
const START_MS = 5 * 60_000
/** After a thread that did not start, while others speak. */
const REST_MS = 1000

/** Renders texts in threads, each one text at a time, first come first served. */
export interface EspeakThreads {
  /** @throws the signal's reason when aborted, which ends the thread; Error when the thread dies or the pool is closed. */
  run(task: RenderTask, signal?: AbortSignal): Promise<Rendering>
  /** Starts a thread where there is none: a text that comes soon waits for less of its start. */
  start(): void
  close(): Promise<void>
}

interface Job {
  readonly task: RenderTask
  readonly settle: (outcome: Rendering | Error) => void
}

interface Thread {
  readonly worker: Worker
  /** Once it has loaded the engine. */
  isReady: boolean
  job: Job | undefined
  /** Ends it where it does not start, or has nothing to do. */
  timer: NodeJS.Timeout
}

interface Options {
  /** Five minutes unless given. */
  readonly idleMs?: number
  /** How long a thread may take to start; five minutes unless given. */
  readonly startMs?: number
  /** How long no other thread is tried after one that did not start, while others speak; a second unless given. */
  readonly restMs?: number
  /** Makes a thread; throws where the machine has none left. */
  readonly spawn?: (workerData: ThreadData) => Worker
}

/**
 * Up to `most` threads, one more whenever a text has to wait. That text goes to the thread that is free first, so none waits a second for a new one
 * where another ends its text within milliseconds. Where a thread was not needed for `idleMs`, all but one end. One that dies fails the text in its hands.
 * One that cannot start fails a text that waits where no other thread is left to speak it: makes errors, not a text that waits for ever.
 */
export const openThreads = (most: number, options: Options = {}): EspeakThreads => new Pool(most, options)

const spawnThread = (workerData: ThreadData): Worker =>
  new Worker(new URL('./espeak-thread.ts', import.meta.url), { workerData, env: threadEnvironment() })

class Pool implements EspeakThreads {
  readonly #most: number
  readonly #options: Required<Options>
  readonly #threads = new Set<Thread>()
  readonly #waiting = new Set<Job>()
  #voiceData: VoiceData | undefined
  /** Set while no further thread is started. */
  #rest: NodeJS.Timeout | undefined

  constructor(most: number, options: Options) {
    this.#most = most
    this.#options = { idleMs: IDLE_MS, startMs: START_MS, restMs: REST_MS, spawn: spawnThread, ...options }
  }

  run(task: RenderTask, signal?: AbortSignal): Promise<Rendering> {
    const { promise, resolve, reject } = Promise.withResolvers<Rendering>()
    const job: Job = { task, settle: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) }
    const abort = () => {
      reject(signal?.reason)
      this.#abandon(job)
    }
    if (signal?.aborted) abort()
    else this.#waiting.add(job)
    signal?.addEventListener('abort', abort, { once: true })
    this.#dispatch()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  start(): void {
    if (this.#threads.size === 0) this.#start()
  }

  async close(): Promise<void> {
    for (const job of this.#waiting) job.settle(new Error('The engine is closed.'))
    this.#waiting.clear()
    clearTimeout(this.#rest)
    for (const { timer } of this.#threads) clearTimeout(timer)
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
    if (this.#voiceData !== undefined) closeVoiceData(this.#voiceData)
    this.#voiceData = undefined
  }

  #dispatch(): void {
    for (const job of this.#waiting) {
      const thread = [...this.#threads].find((one) => one.isReady && one.job === undefined)
      if (thread === undefined) break
      this.#waiting.delete(job)
      clearTimeout(thread.timer)
      thread.job = job
      thread.worker.ref()
      thread.worker.postMessage(job.task)
    }
    this.#startForWaiting()
  }

  #startForWaiting(): void {
    const starting = [...this.#threads].filter(({ isReady }) => !isReady).length
    for (let wanted = this.#waiting.size - starting; wanted > 0 && this.#mayStart(); wanted--) this.#start()
  }

  #mayStart(): boolean {
    if (this.#rest !== undefined && this.#threads.size > 0) return false
    return this.#threads.size < this.#most
  }

  #start(): void {
    let worker: Worker
    try {
      this.#voiceData ??= openVoiceData()
      worker = this.#options.spawn({ voiceData: this.#voiceData })
    } catch (error) {
      this.#failStart(error as Error)
      return
    }
    const timer = setTimeout(() => void worker.terminate(), this.#options.startMs).unref()
    const thread: Thread = { worker, isReady: false, job: undefined, timer }
    this.#threads.add(thread)
    worker.on('message', (message: ThreadMessage) => {
      if (message instanceof Error) this.#end(thread, message)
      else this.#free(thread, message)
      this.#dispatch()
    })
    worker.on('error', (error) => this.#end(thread, error))
    worker.on('exit', (code) => this.#end(thread, new Error(`The thread exited with code ${code}.`)))
  }

  #free(thread: Thread, message: Rendering | true): void {
    const { job } = thread
    thread.job = undefined
    thread.isReady = true
    // Only a thread at work keeps the process alive.
    thread.worker.unref()
    if (message !== true) job?.settle(message)
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => this.#endIdle(thread), this.#options.idleMs).unref()
  }

  /** The first one stays: it takes every text that comes alone, so it has compiled the most. */
  #endIdle(thread: Thread): void {
    const [first] = this.#threads
    if (thread === first) return
    this.#threads.delete(thread)
    void thread.worker.terminate()
  }

  #end(thread: Thread, error: Error): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(thread.timer)
    if (thread.isReady) thread.job?.settle(error)
    else this.#failStart(error)
    this.#dispatch()
  }

  /** Texts go on waiting where another thread speaks them in turn, as soon as it has started. */
  #failStart(error: Error): void {
    const [waiting] = this.#waiting
    if (this.#threads.size > 0) this.#pause()
    else if (waiting !== undefined) {
      this.#waiting.delete(waiting)
      waiting.settle(error)
    }
  }

  #pause(): void {
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => {
      this.#rest = undefined
      this.#dispatch()
    }, this.#options.restMs).unref()
  }

  #abandon(job: Job): void {
    this.#waiting.delete(job)
    const thread = [...this.#threads].find((one) => one.job === job)
    if (thread === undefined) return
    this.#threads.delete(thread)
    void thread.worker.terminate()
    this.#dispatch()
  }
}
