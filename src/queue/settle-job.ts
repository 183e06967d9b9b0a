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
      else if (error instanceof NotSoon) await this.#releaseUnstarted(delivery)
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
