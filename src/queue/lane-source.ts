import type { PgBoss } from 'pg-boss'
import type { BossQueue } from './boss-queue.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery, JobSource } from './job-source.ts'
import type { LaneLimits } from './lane-limits.ts'

export interface LaneSourceOptions {
  readonly boss: PgBoss
  readonly queue: BossQueue
  readonly kind: JobKind
  readonly lanes: LaneLimits
  readonly workerId: string
}

interface Payload {
  readonly jobId: string
  readonly lane?: string
}

/** Leaves the jobs of full lanes in the queue: a lane that does not move holds nobody else up. */
export function laneSource({ boss, queue, kind, lanes, workerId }: LaneSourceOptions): JobSource {
  return {
    take: async (free) => {
      const full = lanes.full()
      const jobs = await boss.fetch<Payload>(kind.queue, {
        batchSize: Math.min(free, lanes.batch),
        ...(full.length > 0 && { ignoreGroups: full }),
      })
      const deliveries: Delivery[] = []
      const turnedAway: string[] = []
      for (const { id, retryCount, data } of jobs) {
        if (lanes.enter(data.lane)) deliveries.push({ id, retryCount, ...data })
        else turnedAway.push(id)
      }
      // Their lanes are left out of the next fetch, which finds others instead.
      if (turnedAway.length > 0) await queue.handBack(kind, turnedAway, workerId)
      return { deliveries, more: turnedAway.length > 0 || jobs.length === lanes.batch }
    },
    // Where a lane is still full and slots are free, there is nothing new to fetch.
    left: ({ lane }, free) => lanes.leave(lane) || free <= 1,
  }
}
