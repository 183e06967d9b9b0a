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
export function openThreads(most: number): EspeakThreads {
  const threads = new Set<Thread>()
  const waiting = new Set<Job>()

  function dispatch(): void {
    for (const job of waiting) {
      const thread = [...threads].find((one) => one.job === undefined) ?? (threads.size < most ? start() : undefined)
      if (thread === undefined) return
      waiting.delete(job)
      thread.job = job
      thread.worker.ref()
      thread.worker.postMessage(job.task)
    }
  }

  function start(): Thread {
    const thread: Thread = { worker: new Worker(new URL('./espeak-thread.ts', import.meta.url)), job: undefined }
    threads.add(thread)
    thread.worker.on('message', (rendering: Rendering) => {
      const { job } = thread
      thread.job = undefined
      // Only a thread at work keeps the process alive.
      thread.worker.unref()
      job?.settle(rendering)
      dispatch()
    })
    thread.worker.on('error', (error) => end(thread, error))
    thread.worker.on('exit', (code) => end(thread, new Error(`The thread exited with code ${code}.`)))
    return thread
  }

  function end(thread: Thread, error: Error): void {
    threads.delete(thread)
    thread.job?.settle(error)
    thread.job = undefined
    dispatch()
  }

  function abandon(job: Job): void {
    waiting.delete(job)
    const thread = [...threads].find((one) => one.job === job)
    if (thread === undefined) return
    thread.job = undefined
    threads.delete(thread)
    void thread.worker.terminate()
    dispatch()
  }

  return {
    run: (task, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Rendering>()
      const job: Job = { task, settle: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) }
      const abort = () => {
        reject(signal?.reason)
        abandon(job)
      }
      if (signal?.aborted) abort()
      else waiting.add(job)
      signal?.addEventListener('abort', abort, { once: true })
      dispatch()
      return promise.finally(() => signal?.removeEventListener('abort', abort))
    },
    close: async () => {
      for (const job of waiting) job.settle(new Error('The engine is closed.'))
      waiting.clear()
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}
