import type { Log } from '../values/log.ts'
import type { Delivery } from './job-source.ts'
import type { Settler } from './pgboss/settle-in-batches.ts'
import { CutOff } from './stopping.ts'
import type { Ticket } from './ticket.ts'

export interface RunningJob {
  readonly delivery: Delivery
  readonly controller: AbortController
  readonly ticket: Ticket | undefined
  done: Promise<void>
  cancelled: boolean
}

interface RunningOptions {
  readonly log: Log
  readonly settler: Settler
  stillOwned?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
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

  cancel(jobId: string): void {
    for (const job of this.byDelivery.values()) if (job.delivery.jobId === jobId) stopForGood(job)
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
      await this.#cancelLost()
    } catch (error) {
      this.#options.log.warn({ err: (error as Error).message }, 'a heartbeat was missed')
    }
  }

  async #cancelLost(): Promise<void> {
    const jobs = [...this.byDelivery.values()]
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
