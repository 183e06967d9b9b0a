import { Worker } from 'node:worker_threads'
import type { Rendering, RenderTask } from './espeak-thread.ts'

/** Renders texts in threads, each one text at a time, first come first served. */
export interface EspeakThreads {
  /** @throws the signal's reason when aborted, which ends the thread; Error when the thread dies or the pool is closed. */
  run(task: RenderTask, signal?: AbortSignal): Promise<Rendering>
  close(): Promise<void>
}

interface Job {
  readonly task: RenderTask
  readonly settle: (outcome: Rendering | Error) => void
}

interface Thread {
  readonly worker: Worker
  job: Job | undefined
}

/**
 * Up to `most` threads, started when there is something to render and kept. One that dies fails the text in its hands, never
 * another: the next text starts a fresh one, so a thread that cannot even start makes errors, not a text that waits for ever.
 */
export const openThreads = (most: number): EspeakThreads => new Pool(most)

class Pool implements EspeakThreads {
  readonly #most: number
  readonly #threads = new Set<Thread>()
  readonly #waiting = new Set<Job>()

  constructor(most: number) {
    this.#most = most
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

  async close(): Promise<void> {
    for (const job of this.#waiting) job.settle(new Error('The engine is closed.'))
    this.#waiting.clear()
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #dispatch(): void {
    for (const job of this.#waiting) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      this.#waiting.delete(job)
      thread.job = job
      thread.worker.ref()
      thread.worker.postMessage(job.task)
    }
  }

  #freeThread(): Thread | undefined {
    const free = [...this.#threads].find((one) => one.job === undefined)
    return free ?? (this.#threads.size < this.#most ? this.#start() : undefined)
  }

  #start(): Thread {
    const thread: Thread = { worker: new Worker(new URL('./espeak-thread.ts', import.meta.url)), job: undefined }
    this.#threads.add(thread)
    thread.worker.on('message', (rendering: Rendering) => {
      const { job } = thread
      thread.job = undefined
      // Only a thread at work keeps the process alive.
      thread.worker.unref()
      job?.settle(rendering)
      this.#dispatch()
    })
    thread.worker.on('error', (error) => this.#end(thread, error))
    thread.worker.on('exit', (code) => this.#end(thread, new Error(`The thread exited with code ${code}.`)))
    return thread
  }

  #end(thread: Thread, error: Error): void {
    this.#threads.delete(thread)
    thread.job?.settle(error)
    thread.job = undefined
    this.#dispatch()
  }

  #abandon(job: Job): void {
    this.#waiting.delete(job)
    const thread = [...this.#threads].find((one) => one.job === job)
    if (thread === undefined) return
    thread.job = undefined
    this.#threads.delete(thread)
    void thread.worker.terminate()
    this.#dispatch()
  }
}
