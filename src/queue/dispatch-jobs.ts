import type { PgBoss } from 'pg-boss'
import type { Bus } from '../db/bus.ts'
import type { Log } from '../log.ts'
import { type BossQueue, QUEUE_CHANNEL } from './boss-queue.ts'
import type { JobKind } from './job-kind.ts'
import type { LaneLimits } from './lane-limits.ts'

/** Finds what no wake-up told of: retries, jobs of a dead worker, jobs queued while the ear was off. */
const POLL_MS = 500
const HEARTBEAT_MS = 3000

export interface DispatchOptions {
  readonly boss: PgBoss
  readonly queue: BossQueue
  readonly bus: Bus
  readonly log: Log
  readonly kind: JobKind
  /** How many jobs run at once in this process. */
  readonly slots: number
  /** Which lanes have room; without it lanes do not matter. */
  readonly lanes?: LaneLimits
  /** Runs one job. When it throws, the job is delivered again; `signal` is aborted when the job now belongs to another worker or must be handed back. */
  handle(jobId: string, signal: AbortSignal, lane: string | undefined): Promise<void>
}

export interface Dispatcher {
  /** Takes nothing new, waits for what runs, and hands back what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/** One delivery of a queued job: settling it twice, or after it was delivered to another, has no effect. */
interface JobAttempt {
  readonly id: string
  readonly retryCount: number
}

interface Payload {
  readonly jobId: string
  readonly lane?: string
}

interface Running {
  readonly attempt: JobAttempt
  readonly controller: AbortController
  readonly done: Promise<void>
}

/**
 * Keeps this process's slots full: one fetch under way at a time, for exactly the free slots, when woken, when a slot gets free and
 * every half second. pg-boss's own `work()` polls per slot and sleeps up to 30 s after each job.
 */
export async function dispatchJobs(options: DispatchOptions): Promise<Dispatcher> {
  const { boss, queue, bus, log, kind, slots, lanes } = options
  const running = new Map<string, Running>()
  let settled: JobAttempt[] = []
  let flushing: Promise<void> = Promise.resolve()
  let fetching = false
  let again = false
  let stopping = false

  const pump = async (): Promise<void> => {
    if (fetching) {
      again = true
      return
    }
    fetching = true
    try {
      do {
        again = false
        const free = slots - running.size
        if (stopping || free <= 0) break
        const full = lanes?.full() ?? []
        const jobs = await boss.fetch<Payload>(kind.queue, {
          batchSize: Math.min(free, lanes?.batch ?? free),
          ...(full.length > 0 && { ignoreGroups: full }),
        })
        const turnedAway: string[] = []
        for (const job of jobs) {
          if (lanes?.enter(job.data.lane) === false) turnedAway.push(job.id)
          else start({ id: job.id, retryCount: job.retryCount }, job.data)
        }
        // Their lanes are left out of the next fetch, which finds others instead: a full lane holds nobody up.
        if (turnedAway.length > 0) await queue.handBack(kind, turnedAway)
        if (turnedAway.length > 0 || (lanes !== undefined && jobs.length === lanes.batch)) again = true
      } while (again)
    } catch (error) {
      log.warn({ err: (error as Error).message, queue: kind.queue }, 'the queue could not be read; trying again')
    } finally {
      fetching = false
    }
  }

  const start = (attempt: JobAttempt, { jobId, lane }: Payload): void => {
    const controller = new AbortController()
    const done = options
      .handle(jobId, controller.signal, lane)
      .then(
        () => settle(attempt),
        (error: Error) => giveBack(attempt, jobId, error),
      )
      .finally(() => {
        running.delete(attempt.id)
        const reopened = lanes?.leave(lane) ?? true
        // Where a lane is still full and slots are free, there is nothing new to fetch.
        if (!reopened && running.size < slots - 1) return
        void pump()
      })
    running.set(attempt.id, { attempt, controller, done })
  }

  /** Completions of one turn of the event loop go out in one statement. */
  const settle = (attempt: JobAttempt): void => {
    settled.push(attempt)
    if (settled.length > 1) return
    flushing = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      const batch = settled
      settled = []
      // A completion that is lost costs one more delivery, which finds the job finished.
      await boss
        .complete(kind.queue, batch)
        .catch((error: Error) => log.warn({ err: error.message }, 'queue rows stay open'))
    })
  }

  const giveBack = async (attempt: JobAttempt, jobId: string, error: Error): Promise<void> => {
    if (!stopping) log.warn({ err: error.message, jobId }, 'a job is handed back to the queue')
    await boss.fail(kind.queue, attempt, { message: error.message }).catch(() => undefined)
  }

  const beat = async (): Promise<void> => {
    const held = [...running.values()]
    if (held.length === 0) return
    try {
      const attempts = held.map((job) => job.attempt)
      const touched = (await boss.touch(kind.queue, attempts)) as { settled?: string[] }
      const ours = new Set(touched.settled)
      for (const job of held) {
        if (!ours.has(job.attempt.id) && running.has(job.attempt.id))
          job.controller.abort(new Error('another worker holds the job'))
      }
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'a heartbeat was missed')
    }
  }

  await queue.prepare(kind)
  const unlisten = await bus.listen(QUEUE_CHANNEL, (name) => name === kind.queue && void pump(), pump)
  const removeLocal = queue.addLocalWorker(kind, () => {
    void pump()
    return !stopping && running.size < slots
  })
  const poll = setInterval(() => void pump(), POLL_MS)
  const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS)
  void pump()

  return {
    stop: async (graceMs) => {
      stopping = true
      clearInterval(poll)
      removeLocal()
      unlisten()
      const all = () => Promise.allSettled([...running.values()].map((job) => job.done))
      let timer: NodeJS.Timeout | undefined
      await Promise.race([all(), new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))])
      clearTimeout(timer)
      for (const job of running.values()) job.controller.abort(new Error('the worker is stopping'))
      await all()
      clearInterval(heartbeat)
      await flushing
    },
  }
}
