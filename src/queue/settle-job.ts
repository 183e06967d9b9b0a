import { isDatabaseDown } from '../errors/database-down.ts'
import { StoreDown } from '../errors/store-down.ts'
import type { DispatchOptions } from './dispatcher.ts'
import type { Delivery } from './job-source.ts'
import type { Settler } from './pgboss/settle-in-batches.ts'
import type { RunningJob } from './running-jobs.ts'
import { NotSoon } from './stopping.ts'

interface SettlingOptions extends Pick<DispatchOptions, 'queue' | 'kind' | 'workerId' | 'log'> {
  readonly settler: Settler
  isStopping(): boolean
}

/** What becomes of a dispatcher's deliveries in the queue. */
export class Settlement {
  readonly #options: SettlingOptions

  constructor(options: SettlingOptions) {
    this.#options = options
  }

  /** Runs the job and reports to the queue what came of it. Never rejects. */
  async settle(job: RunningJob, handle: () => Promise<unknown>): Promise<void> {
    const { delivery } = job
    const { settler } = this.#options
    try {
      const outcome = await handle()
      if (outcome !== 'settled') settler.complete(delivery)
    } catch (error) {
      if (job.cancelled) settler.complete(delivery)
      else if (error instanceof NotSoon) await this.#releaseUnstarted(delivery)
      else await this.#nack(delivery, error as Error)
    }
  }

  /** Others can begin these at once. */
  async release(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { queue, kind, workerId } = this.#options
    await queue.release(kind, deliveries, workerId)
    queue.wake(kind)
  }

  /**
   * Where the answer was lost, the job may be another worker's by now, which a nack could not tell apart: what was not released comes back
   * when its heartbeat runs out.
   */
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
    // A store that is away is logged once, and not for each of its jobs.
    if (isUnexpected && !(error instanceof StoreDown))
      log.warn({ err: error.message, jobId: delivery.jobId }, 'a job goes back to the queue')
    await settler.nack(delivery, error, isUnexpected)
  }
}
