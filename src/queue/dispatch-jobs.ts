import type { PgBoss } from 'pg-boss'
import type { Database } from '../db/database.ts'
import type { Notifier } from '../db/notifier.ts'
import type { Log } from '../values/log.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery, JobSource } from './job-source.ts'
import { ABORT_CHANNEL, type BossQueue, QUEUE_CHANNEL } from './pgboss/boss-queue.ts'
import { settleInBatches } from './pgboss/settle-in-batches.ts'
import { turnSource } from './pgboss/turn-source.ts'
import { openRunningJobs, type RunningJob } from './running-jobs.ts'
import type { ServerLines, Turn } from './server-line.ts'
import { NotSoon, Stopping } from './stopping.ts'

/** Finds what no wake-up told of: retries, jobs of a dead worker, jobs queued while the ear was off. */
const POLL_MS = 500
const HEARTBEAT_MS = 3000
const NO_ROOMS: ReadonlyMap<string, number> = new Map()

interface DispatchOptions {
  readonly boss: PgBoss
  readonly db: Database
  readonly queue: BossQueue
  readonly notifier: Notifier
  readonly log: Log
  readonly workerId: string
  readonly kind: JobKind
  /** How many jobs run at once in this process beside those of `lines`; asked anew for every claim. */
  readonly slots: number | (() => number)
  /** Where jobs wait for their turn at a server with a limit. Absent: no server has one. */
  readonly lines?: ServerLines
  /**
   * Runs one job. When it throws, the job is delivered again; `signal` is aborted when the job was cancelled, now belongs to another
   * worker or must be handed back. Resolves with 'settled' where it took the delivery out of the queue itself (`dequeue`).
   * @param turn at its server, to be waited for and to be ended as soon as the server is done; absent where that has no limit
   */
  handle(jobId: string, signal: AbortSignal, delivery: Delivery, turn: Turn | undefined): Promise<unknown>
  /** Which of the running jobs are neither finished nor taken over: asked with every heartbeat, as word of it may have been lost. */
  stillOwned?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Which jobs come next; absent: accounts are served in turn. */
  readonly source?: JobSource
}

export interface Dispatcher {
  /** Jobs that run now. */
  readonly inFlight: number
  /** To be called where there is room again that no job's end has made. */
  look(): void
  /** Stops and gives back what is at servers with a limit: to be called when others may take this process for dead. */
  leaveServers(): void
  /** Takes nothing new, waits for what runs, and hands back what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/**
 * Keeps this process's slots full: one fetch under way at a time, for exactly the free slots, when woken, when a slot gets free and
 * every half second. pg-boss's own `work()` polls per slot and sleeps up to 30 s after each job. At a quick server the next jobs are
 * fetched while the last ones are still there.
 */
export async function dispatchJobs(options: DispatchOptions): Promise<Dispatcher> {
  const { queue, notifier, log, kind, lines, workerId } = options
  const settler = settleInBatches(options.boss, kind.queue, log)
  const running = openRunningJobs({ ...options, settler })
  const jobs = running.byDelivery
  const { limits, free } = countRoom(options, jobs)
  const source = options.source ?? turnSource({ ...options, limits })
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
        const places = free()
        if (stopping || places <= 0) break
        const { deliveries, more } = await source.take(places, [...jobs.keys()])
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
    await queue.release(kind, ids, workerId)
    queue.wake(kind)
  }

  const start = (delivery: Delivery): void => {
    const controller = new AbortController()
    const turn = lines?.at(delivery.server ?? '')?.queueUp(controller.signal)
    const job: RunningJob = { delivery, controller, turn, done: Promise.resolve(), cancelled: false }
    const earlier = jobs.get(delivery.id)
    jobs.set(delivery.id, job)
    const ended = run(job).finally(() => {
      if (jobs.get(delivery.id) === job) jobs.delete(delivery.id)
      const opened = turn === undefined || turn.leave()
      if (opened && source.left(delivery, free())) pump()
    })
    // The queue gave up on this process, or has the job again before this process knows that it put it back.
    earlier?.controller.abort(new Error('the job was delivered again'))
    job.done = Promise.all([ended, earlier?.done]).then(() => undefined)
  }

  const run = async (job: RunningJob): Promise<void> => {
    const { delivery, controller, turn } = job
    try {
      const outcome = await options.handle(delivery.jobId, controller.signal, delivery, turn)
      if (outcome !== 'settled') settler.complete(delivery)
    } catch (error) {
      if (job.cancelled) settler.complete(delivery)
      else if (error instanceof NotSoon) await putBack([delivery]).catch((cause: Error) => giveBack(delivery, cause))
      else await giveBack(delivery, error as Error)
    }
  }

  const giveBack = async (delivery: Delivery, error: Error): Promise<void> => {
    if (!stopping) log.warn({ err: error.message, jobId: delivery.jobId }, 'a job is handed back to the queue')
    await settler.giveBack(delivery, error, !stopping)
  }

  const lookAgain = (): void => {
    source.stirred?.()
    pump()
  }

  await queue.prepare(kind)
  const unlisten = await notifier.listen(QUEUE_CHANNEL, (name) => name === kind.queue && lookAgain(), lookAgain)
  const unlistenAborts = await notifier.listen(ABORT_CHANNEL, running.cancel, () => void running.beat())
  const removeLocal = queue.addLocalWorker(kind, () => {
    lookAgain()
    // Where a server is shared, the room for the job may be in another process.
    return !stopping && free() > 0 && limits().size === 0
  })
  lines?.watch(pump)
  const poll = setInterval(lookAgain, POLL_MS)
  const heartbeat = setInterval(() => void running.beat(), HEARTBEAT_MS)
  pump()

  return {
    get inFlight() {
      return [...jobs.values()].filter(({ turn }) => turn?.isWaiting !== true).length
    },
    look: pump,
    leaveServers: running.leaveServers,
    stop: async (graceMs) => {
      stopping = true
      clearInterval(poll)
      removeLocal()
      unlisten()
      for (const job of jobs.values()) if (job.turn?.isWaiting) job.controller.abort(new NotSoon())
      const all = () => Promise.allSettled([...jobs.values()].map((job) => job.done))
      let timer: NodeJS.Timeout | undefined
      // First what a claim under way may still bring: it would otherwise wait for a process that is gone.
      await Promise.race([pumping.then(all), new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))])
      clearTimeout(timer)
      for (const job of jobs.values()) job.controller.abort(new Stopping())
      await all()
      unlistenAborts()
      clearInterval(heartbeat)
      await settler.flushed()
    },
  }
}

/** What a claim may bring: for each server with a limit its room, for all others what is left of the slots. */
function countRoom({ slots, lines }: DispatchOptions, jobs: ReadonlyMap<string, RunningJob>) {
  const most = (): number => (typeof slots === 'number' ? slots : slots())
  const unlimited = (): number =>
    lines === undefined ? jobs.size : [...jobs.values()].filter(({ turn }) => turn === undefined).length
  const left = (): number => Math.max(0, most() - unlimited())
  const rooms = (): ReadonlyMap<string, number> => lines?.rooms() ?? NO_ROOMS
  return {
    limits: (): ReadonlyMap<string, number> => {
      const limited = rooms()
      // Jobs of a server that no endpoint names any more take one place at a time, so that they end.
      return limited.size === 0 ? limited : new Map([...limited, ['', most() === 0 ? 1 : left()]])
    },
    free: (): number => [...rooms().values()].reduce((sum, room) => sum + room, left()),
  }
}
