import type { PgBoss } from 'pg-boss'
import { untilAnswered } from '../db/until-answered.ts'
import { isDatabaseDown, StoreDown } from '../errors/outages.ts'
import type { Log } from '../values/log.ts'
import type { DispatchOptions } from './dispatcher.ts'
import type { Delivery } from './job-source.ts'
import { delayJob } from './pgboss/delay-job.ts'
import type { Ticket } from './server-queue.ts'
import { CutOff, type Delayable, NotSoon, ServerUnwell } from './stopping.ts'

export interface RunningJob {
  readonly delivery: Delivery
  readonly controller: AbortController
  ticket: Ticket | undefined
  done: Promise<void>
  cancelled: boolean
  isParked: boolean
  /** A job without a ticket that is heard already shares the engine and holds no slot. */
  isHeard: boolean
}

interface RunningOptions {
  readonly log: Log
  readonly settler: Settler
  stillOwned?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

interface SettlingOptions extends Pick<DispatchOptions, 'queue' | 'kind' | 'workerId' | 'log'> {
  readonly settler: Settler
  isStopping(): boolean
}

/** Each statement repeats the retry count, so it does not change a job that the queue has delivered again. */
export interface Settler {
  complete(delivery: Delivery): void
  /** @param isRetried waits for a database that is away */
  nack(delivery: Delivery, reason: Error & Delayable, isRetried: boolean): Promise<void>
  /** Resolves with the ids that are still this worker's. */
  touch(deliveries: readonly Delivery[]): Promise<Set<string>>
  flushed(): Promise<void>
}

export class RunningJobs {
  readonly byDelivery = new Map<string, RunningJob>()
  readonly #options: RunningOptions

  constructor(options: RunningOptions) {
    this.#options = options
  }

  ids(): string[] {
    return [...this.byDelivery.keys()]
  }

  /** Stops the job if it is no longer this worker's: any role of the database may notify that it was cancelled. Never rejects. */
  async cancel(jobId: string): Promise<void> {
    const jobs = [...this.byDelivery.values()].filter(({ delivery }) => delivery.jobId === jobId)
    if (jobs.length === 0) return
    // A heartbeat looks again.
    await this.#cancelLost(jobs).catch((error: Error) =>
      this.#options.log.warn({ err: error.message }, 'a cancelled job could not be looked up'),
    )
  }

  /** Stops jobs at servers with a limit, because other workers may fill them now. */
  leaveServers(): void {
    for (const { ticket, controller } of this.byDelivery.values()) {
      if (ticket !== undefined) controller.abort(new CutOff())
    }
  }

  leaveServer(server: string, reason: Error): void {
    for (const { delivery, ticket, controller } of this.byDelivery.values()) {
      if (ticket !== undefined && delivery.server === server) controller.abort(reason)
    }
  }

  /** Never rejects. */
  async heartbeat(): Promise<void> {
    const jobs = [...this.byDelivery.values()]
    if (jobs.length === 0) return
    try {
      const owned = await this.#options.settler.touch(jobs.map((job) => job.delivery))
      for (const { delivery, controller } of jobs) {
        if (!owned.has(delivery.id) && this.byDelivery.has(delivery.id))
          controller.abort(new Error('another worker holds the job'))
      }
      await this.#cancelLost([...this.byDelivery.values()])
    } catch (error) {
      this.#options.log.warn({ err: (error as Error).message }, 'a heartbeat was missed')
    }
  }

  async #cancelLost(jobs: readonly RunningJob[]): Promise<void> {
    const owned = await this.#options.stillOwned?.(jobs.map(({ delivery }) => delivery.jobId))
    if (owned === undefined) return
    // A job that was released and claimed here again looks lost.
    for (const job of jobs) if (!owned.has(job.delivery.jobId)) stopForGood(job)
  }
}

function stopForGood(job: RunningJob): void {
  job.cancelled = true
  job.controller.abort(new Error('the job was cancelled'))
}

export class Settlement {
  readonly #options: SettlingOptions

  constructor(options: SettlingOptions) {
    this.#options = options
  }

  /** Runs the job and settles its delivery. Never rejects. */
  async settle(job: RunningJob, handle: () => Promise<unknown>): Promise<void> {
    const { delivery } = job
    const { settler } = this.#options
    try {
      const outcome = await handle()
      if (outcome !== 'settled') settler.complete(delivery)
    } catch (error) {
      if (job.cancelled) settler.complete(delivery)
      else if (error instanceof NotSoon || error instanceof ServerUnwell) await this.#releaseUnstarted(delivery)
      else await this.#nack(delivery, error as Error)
    }
  }

  async release(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { queue, kind, workerId } = this.#options
    await queue.release(kind, deliveries, workerId)
    queue.wake(kind)
  }

  /** After a lost answer, a nack could end another worker's delivery. The job comes back when its heartbeat expires. */
  async #releaseUnstarted(delivery: Delivery): Promise<void> {
    const { log } = this.#options
    await this.release([delivery]).catch((error: Error) => {
      if (!isDatabaseDown(error)) return this.#nack(delivery, error)
      log.warn({ err: error.message, jobId: delivery.jobId }, 'a job could not be released to the queue')
    })
  }

  async #nack(delivery: Delivery, error: Error): Promise<void> {
    const { log, settler, isStopping } = this.#options
    const isUnexpected = !isStopping()
    if (isUnexpected && !(error instanceof StoreDown))
      log.warn({ err: error.message, jobId: delivery.jobId }, 'a job goes back to the queue')
    await settler.nack(delivery, error, isUnexpected)
  }
}

export function settleInBatches(boss: PgBoss, queue: string, log: Log): Settler {
  let waiting: Delivery[] = []
  let flushing: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    const batch = waiting.map(toAttempt)
    waiting = []
    // A lost completion costs one more delivery, which finds the job finished.
    await untilAnswered(() => boss.complete(queue, batch)).catch((error: Error) =>
      log.warn({ err: error.message }, 'queue rows stay open'),
    )
  }

  return {
    complete: (delivery) => {
      waiting.push(delivery)
      if (waiting.length > 1) return
      const turn = new Promise<void>((resolve) => setImmediate(resolve)).then(flush)
      flushing = Promise.all([flushing, turn]).then(() => undefined)
    },
    nack: async (delivery, reason, isRetried) => {
      const { message, delaySeconds } = reason
      const fail = () =>
        delaySeconds === undefined
          ? boss.fail(queue, toAttempt(delivery), { message })
          : delayJob(boss, queue, delivery, delaySeconds)
      await (isRetried ? untilAnswered<unknown>(fail) : fail()).catch((error: unknown) => {
        if (!isDatabaseDown(error)) log.warn({ err: String(error) }, 'a job could not be released to the queue')
      })
    },
    touch: async (deliveries) => {
      const touched = (await boss.touch(queue, deliveries.map(toAttempt))) as { settled?: string[] }
      return new Set(touched.settled)
    },
    flushed: () => flushing,
  }
}

const toAttempt = ({ id, retryCount }: Delivery) => ({ id, retryCount })
