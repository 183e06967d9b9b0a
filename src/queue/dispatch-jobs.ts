import type { PgBoss } from 'pg-boss'
import type { Bus } from '../db/bus.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import { ABORT_CHANNEL, type BossQueue, QUEUE_CHANNEL } from './boss-queue.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery, JobSource } from './job-source.ts'
import { settleInBatches } from './settle-in-batches.ts'
import { Stopping } from './stopping.ts'
import { turnSource } from './turn-source.ts'

/** Finds what no wake-up told of: retries, jobs of a dead worker, jobs queued while the ear was off. */
const POLL_MS = 500
const HEARTBEAT_MS = 3000

export interface DispatchOptions {
  readonly boss: PgBoss
  readonly db: Database
  readonly queue: BossQueue
  readonly bus: Bus
  readonly log: Log
  readonly workerId: string
  readonly kind: JobKind
  /** How many jobs run at once in this process; asked anew for every claim. */
  readonly slots: number | (() => number)
  /** How many jobs may be at a server at once, over all workers; asked anew for every claim. None where it is absent. */
  readonly limits?: () => ReadonlyMap<string, number>
  /**
   * Runs one job. When it throws, the job is delivered again; `signal` is aborted when the job was cancelled, now belongs to another
   * worker or must be handed back. Resolves with 'settled' where it took the delivery out of the queue itself (`DEQUEUE`).
   */
  handle(jobId: string, signal: AbortSignal, delivery: Delivery): Promise<unknown>
  /** Which of the running jobs are neither finished nor taken over: asked with every heartbeat, as word of it may have been lost. */
  stillOurs?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Which jobs come next; absent: accounts are served in turn. */
  readonly source?: JobSource
}

export interface Dispatcher {
  /** Jobs that run now. */
  readonly inFlight: number
  /** To be called where there is room again that no job's end has made. */
  look(): void
  /** Takes nothing new, waits for what runs, and hands back what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

interface Running {
  readonly delivery: Delivery
  readonly controller: AbortController
  readonly done: Promise<void>
  cancelled: boolean
}

/**
 * Keeps this process's slots full: one fetch under way at a time, for exactly the free slots, when woken, when a slot gets free and
 * every half second. pg-boss's own `work()` polls per slot and sleeps up to 30 s after each job.
 */
export async function dispatchJobs(options: DispatchOptions): Promise<Dispatcher> {
  const { queue, bus, log, kind } = options
  const running = new Map<string, Running>()
  const source = options.source ?? turnSource(options)
  const freeSlots = () => (typeof options.slots === 'number' ? options.slots : options.slots()) - running.size
  let fetching = false
  let again = false
  let stopping = false
  let pumping: Promise<void> = Promise.resolve()

  const pump = (): void => {
    if (fetching) again = true
    else pumping = fill()
  }

  const fill = async (): Promise<void> => {
    fetching = true
    try {
      do {
        again = false
        const free = freeSlots()
        if (stopping || free <= 0) break
        const { deliveries, more } = await source.take(free, [...running.keys()])
        // A claim that was under way when the worker was told to stop brings jobs that others can begin at once.
        if (stopping) await putBack(deliveries)
        else for (const delivery of deliveries) start(delivery)
        if (more) again = true
      } while (again)
    } catch (error) {
      log.warn({ err: (error as Error).message, queue: kind.queue }, 'the queue could not be read; trying again')
    } finally {
      fetching = false
    }
  }

  const putBack = async (deliveries: readonly Delivery[]): Promise<void> => {
    if (deliveries.length === 0) return
    const ids = deliveries.map(({ id }) => id)
    await queue.handBack(kind, ids)
    queue.wake(kind)
  }

  const settler = settleInBatches(options.boss, kind.queue, log, () => source.isShared() && pump())

  const start = (delivery: Delivery): void => {
    const controller = new AbortController()
    const done = options
      .handle(delivery.jobId, controller.signal, delivery)
      .then(
        (outcome) => (outcome === 'settled' ? undefined : settler.complete(delivery)),
        (error: Error) => (job.cancelled ? settler.complete(delivery) : giveBack(delivery, error)),
      )
      .finally(() => {
        running.delete(delivery.id)
        if (source.left(delivery, freeSlots()) && !source.isShared()) pump()
      })
    const job: Running = { delivery, controller, done, cancelled: false }
    running.set(delivery.id, job)
  }

  const giveBack = async (delivery: Delivery, error: Error): Promise<void> => {
    if (!stopping) log.warn({ err: error.message, jobId: delivery.jobId }, 'a job is handed back to the queue')
    await settler.giveBack(delivery, error, !stopping)
  }

  const cancel = (jobId: string): void => {
    for (const job of running.values()) {
      if (job.delivery.jobId !== jobId) continue
      job.cancelled = true
      job.controller.abort(new Error('the job was cancelled'))
    }
  }

  const cancelLost = async (): Promise<void> => {
    const jobIds = [...running.values()].map(({ delivery }) => delivery.jobId)
    const ours = await options.stillOurs?.(jobIds)
    if (ours !== undefined) for (const jobId of jobIds) if (!ours.has(jobId)) cancel(jobId)
  }

  const beat = async (): Promise<void> => {
    const held = [...running.values()]
    if (held.length === 0) return
    try {
      const ours = await settler.touch(held.map((job) => job.delivery))
      for (const job of held) {
        if (!ours.has(job.delivery.id) && running.has(job.delivery.id))
          job.controller.abort(new Error('another worker holds the job'))
      }
      await cancelLost()
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'a heartbeat was missed')
    }
  }

  const lookAgain = (): void => {
    source.stirred?.()
    pump()
  }

  await queue.prepare(kind)
  const unlisten = await bus.listen(QUEUE_CHANNEL, (name) => name === kind.queue && lookAgain(), lookAgain)
  const unlistenAborts = await bus.listen(ABORT_CHANNEL, cancel, () => void beat())
  const removeLocal = queue.addLocalWorker(kind, () => {
    lookAgain()
    return !stopping && freeSlots() > 0 && !source.isShared()
  })
  const poll = setInterval(lookAgain, POLL_MS)
  const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS)
  pump()

  return {
    get inFlight() {
      return running.size
    },
    look: pump,
    stop: async (graceMs) => {
      stopping = true
      clearInterval(poll)
      removeLocal()
      unlisten()
      const all = () => Promise.allSettled([...running.values()].map((job) => job.done))
      let timer: NodeJS.Timeout | undefined
      // First what a claim under way may still bring: it would otherwise wait for a process that is gone.
      await Promise.race([pumping.then(all), new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))])
      clearTimeout(timer)
      for (const job of running.values()) job.controller.abort(new Stopping())
      await all()
      unlistenAborts()
      clearInterval(heartbeat)
      await settler.flushed()
    },
  }
}
