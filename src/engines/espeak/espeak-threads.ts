import { Worker } from 'node:worker_threads'
import { AwaitedFirst } from '../../concurrency/awaited-first.ts'
import { threadEnvironment } from '../../values/thread.ts'
import type { Rendering, RenderTask, ThreadData, ThreadMessage } from './espeak-thread.ts'
import { closeVoiceData, openVoiceData, type VoiceData } from './voice-data.ts'

const IDLE_MS = 5 * 60_000
const START_MS = 5 * 60_000
const REST_MS = 1000

interface Job {
  readonly task: RenderTask
  readonly settle: (outcome: Rendering | Error) => void
}

interface Thread {
  readonly worker: Worker
  isReady: boolean
  job: Job | undefined
  timer: NodeJS.Timeout
}

interface Options {
  readonly idleMs?: number
  readonly startMs?: number
  readonly restMs?: number
  readonly spawn?: (workerData: ThreadData) => Worker
}

const spawnThread = (workerData: ThreadData): Worker =>
  new Worker(new URL('./espeak-thread.ts', import.meta.url), { workerData, env: threadEnvironment() })

/**
 * Starts up to `most` threads on demand; all but one end when idle.
 * A dying thread fails its text; a failed start fails a text only if no thread is left.
 */
export class EspeakThreads {
  readonly #most: number
  readonly #options: Required<Options>
  readonly #threads = new Set<Thread>()
  readonly #waiting = new AwaitedFirst<Job>()
  #voiceData: VoiceData | undefined
  #rest: NodeJS.Timeout | undefined

  constructor(most: number, options: Options = {}) {
    this.#most = most
    this.#options = { idleMs: IDLE_MS, startMs: START_MS, restMs: REST_MS, spawn: spawnThread, ...options }
  }

  /**
   * @param awaitedBy account whose caller waits for the speech
   * @throws the signal's reason, which ends the thread; Error if the thread dies or the pool closes
   */
  run(task: RenderTask, signal?: AbortSignal, awaitedBy?: string): Promise<Rendering> {
    const { promise, resolve, reject } = Promise.withResolvers<Rendering>()
    const job: Job = { task, settle: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) }
    const abort = () => {
      reject(signal?.reason)
      this.#abandon(job)
    }
    if (signal?.aborted) abort()
    else this.#waiting.add(job, awaitedBy)
    signal?.addEventListener('abort', abort, { once: true })
    this.#dispatch()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  async close(): Promise<void> {
    for (let job = this.#waiting.take(); job !== undefined; job = this.#waiting.take())
      job.settle(new Error('The engine is closed.'))
    clearTimeout(this.#rest)
    for (const { timer } of this.#threads) clearTimeout(timer)
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
    if (this.#voiceData !== undefined) closeVoiceData(this.#voiceData)
    this.#voiceData = undefined
  }

  #dispatch(): void {
    for (const thread of [...this.#threads].filter((one) => one.isReady && one.job === undefined)) {
      const job = this.#waiting.take()
      if (job === undefined) break
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
    thread.worker.unref()
    if (message !== true) job?.settle(message)
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => this.#endIdle(thread), this.#options.idleMs).unref()
  }

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

  #failStart(error: Error): void {
    if (this.#threads.size > 0) this.#pause()
    else this.#waiting.take()?.settle(error)
  }

  #pause(): void {
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => {
      this.#rest = undefined
      this.#dispatch()
    }, this.#options.restMs).unref()
  }

  #abandon(job: Job): void {
    this.#waiting.remove(job)
    const thread = [...this.#threads].find((one) => one.job === job)
    if (thread === undefined) return
    this.#threads.delete(thread)
    void thread.worker.terminate()
    this.#dispatch()
  }
}
