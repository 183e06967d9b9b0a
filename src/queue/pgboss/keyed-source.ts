import type { Job, PgBoss } from 'pg-boss'
import type { KeyedLimiter } from '../../concurrency/keyed-limiter.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery, JobSource } from '../job-source.ts'
import type { BossQueue } from './boss-queue.ts'

interface KeyedSourceOptions {
  readonly boss: PgBoss
  readonly queue: BossQueue
  readonly kind: JobKind
  readonly lanes: KeyedLimiter
  readonly workerId: string
}

interface Payload {
  readonly jobId: string
  readonly lane?: string
}

/**
 * Leaves the jobs of full lanes in the queue: a lane that does not move holds no other up. Looking past such a lane reads all that
 * waits in it, so that is not done again before there may be something new.
 */
export function keyedSource({ boss, queue, kind, lanes, workerId }: KeyedSourceOptions): JobSource {
  /** Large once everything fetched has found room, small again when something had to go back. */
  let batch = lanes.leastBatch
  /** The lanes beside which nothing waited when last looked at. */
  let exhausted: readonly string[] | undefined
  let invalidations = 0
  const fetch = async (size: number): Promise<readonly Job<Payload>[]> => {
    const full = lanes.full()
    const before = invalidations
    const jobs = await boss.fetch<Payload>(kind.queue, {
      batchSize: size,
      ...(full.length > 0 && { ignoreGroups: full }),
    })
    if (jobs.length < size) exhausted = invalidations === before ? full : undefined
    else if (jobs.some(({ data: { lane } }) => lane === undefined || exhausted?.includes(lane) === false))
      exhausted = undefined
    return jobs
  }
  const isNothingLeft = (): boolean => {
    const full = lanes.full()
    return exhausted?.every((lane) => full.includes(lane)) === true
  }
  return {
    take: async (free) => {
      const size = sizeFor(free, batch)
      const jobs = await fetch(size)
      const deliveries: Delivery[] = []
      const rejected: string[] = []
      for (const { id, retryCount, data } of jobs) {
        if (lanes.enter(data.lane)) deliveries.push({ id, retryCount, ...data })
        else rejected.push(id)
      }
      if (rejected.length === 0) {
        if (jobs.length === size) batch = lanes.batch
        return { deliveries, more: jobs.length === size && !isNothingLeft() }
      }
      batch = lanes.leastBatch
      // Their lanes are left out of the next fetch, which finds others instead.
      await queue.release(kind, rejected, workerId)
      return { deliveries, more: true }
    },
    // Where a lane is still full and slots are free, there is nothing new to fetch.
    left: ({ lane }, free) => lanes.leave(lane) || free <= 1,
    invalidate: () => {
      invalidations++
      exhausted = undefined
    },
  }
}

/** pg-boss writes the size into the statement, and every statement stays prepared on every connection: a few sizes do. */
const sizeFor = (free: number, batch: number): number => (free >= batch ? batch : 2 ** Math.floor(Math.log2(free)))
