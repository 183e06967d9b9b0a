import type { Log } from '../values/log.ts'
import type { Delivery } from './job-source.ts'
import type { Settler } from './pgboss/settle-in-batches.ts'
import type { Turn } from './server-line.ts'
import { CutOff } from './stopping.ts'

/** A delivery in this process's hands. */
export interface RunningJob {
  readonly delivery: Delivery
  readonly controller: AbortController
  /** undefined: its server has no limit. */
  readonly turn: Turn | undefined
  done: Promise<void>
  cancelled: boolean
}

interface RunningOptions {
  readonly log: Log
  readonly settler: Settler
  stillOwned?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** Everything that a dispatcher has taken and not yet settled, by delivery. */
interface RunningJobs {
  readonly byDelivery: Map<string, RunningJob>
  /** Stops the job, if it is here, for good. */
  cancel(jobId: string): void
  /** Stops those that are at servers with a limit, which others may fill from now on. */
  leaveServers(): void
  /** Tells the queue that all of them still run, and stops those that are no longer this worker's. */
  beat(): Promise<void>
}

export function openRunningJobs({ log, settler, stillOwned }: RunningOptions): RunningJobs {
  const byDelivery = new Map<string, RunningJob>()

  const cancel = (jobId: string): void => {
    for (const job of byDelivery.values()) {
      if (job.delivery.jobId !== jobId) continue
      job.cancelled = true
      job.controller.abort(new Error('the job was cancelled'))
    }
  }

  const leaveServers = (): void => {
    for (const { turn, controller } of byDelivery.values()) if (turn !== undefined) controller.abort(new CutOff())
  }

  const cancelLost = async (): Promise<void> => {
    const jobIds = [...byDelivery.values()].map(({ delivery }) => delivery.jobId)
    const ours = await stillOwned?.(jobIds)
    if (ours !== undefined) for (const jobId of jobIds) if (!ours.has(jobId)) cancel(jobId)
  }

  const beat = async (): Promise<void> => {
    const held = [...byDelivery.values()]
    if (held.length === 0) return
    try {
      const ours = await settler.touch(held.map((job) => job.delivery))
      for (const job of held) {
        if (!ours.has(job.delivery.id) && byDelivery.has(job.delivery.id))
          job.controller.abort(new Error('another worker holds the job'))
      }
      await cancelLost()
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'a heartbeat was missed')
    }
  }

  return { byDelivery, cancel, leaveServers, beat }
}
