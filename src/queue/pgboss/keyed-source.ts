import type { Job, PgBoss } from 'pg-boss'
import type { KeyedLimiter } from '../../concurrency/keyed-limiter.ts'
import type { Log } from '../../values/log.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery, JobSource, Origin, Taken } from '../job-source.ts'
import type { BossQueue } from './boss-queue.ts'

interface KeyedSourceOptions {
  readonly boss: PgBoss
  readonly queue: BossQueue
  readonly kind: JobKind
  readonly limiter: KeyedLimiter
  readonly workerId: string
  readonly log: Log
}

type Rejected = Pick<Delivery, 'id' | 'retryCount'>

interface Payload extends Origin {
  readonly jobId: string
  readonly lane?: string
}

/** Leaves jobs of full concurrency keys queued, so a stuck key delays no other. */
export const keyedSource = (options: KeyedSourceOptions): JobSource => new KeyedSource(options)

class KeyedSource implements JobSource {
  readonly #options: KeyedSourceOptions
  #batch: number
  /** Only these keys had jobs. A fetch that skips a full key reads all its jobs, so it must not repeat needlessly. */
  #exhausted: readonly string[] | undefined
  #invalidations = 0

  constructor(options: KeyedSourceOptions) {
    this.#options = options
    this.#batch = options.limiter.leastBatch
  }

  async take(free: number): Promise<Taken> {
    const { limiter } = this.#options
    if (this.#isNothingBesides()) return { deliveries: [], more: false }
    const size = sizeFor(free, this.#batch)
    const jobs = await this.#fetch(size)
    const { deliveries, rejected } = this.#accept(jobs)
    if (rejected.length === 0) {
      if (jobs.length === size) this.#batch = limiter.batch
      return { deliveries, more: jobs.length === size && !this.#isNothingBesides() }
    }
    this.#batch = limiter.leastBatch
    await this.#release(rejected)
    return { deliveries, more: true }
  }

  /** Never rejects, because the accepted jobs must begin. */
  async #release(rejected: readonly Rejected[]): Promise<void> {
    const { queue, kind, workerId, log } = this.#options
    try {
      await queue.release(kind, rejected, workerId)
    } catch (error) {
      log.warn({ err: (error as Error).message, queue: kind.queue }, 'jobs could not be released to the queue')
    }
  }

  left({ concurrencyKey }: Delivery, free: number): boolean {
    return this.#options.limiter.release(concurrencyKey) || free <= 1
  }

  invalidate(): void {
    this.#invalidations++
    this.#exhausted = undefined
  }

  async #fetch(size: number): Promise<readonly Job<Payload>[]> {
    const { boss, kind, limiter } = this.#options
    const full = limiter.full()
    const before = this.#invalidations
    const options = { batchSize: size, ...(full.length > 0 && { ignoreGroups: full }) }
    const jobs = await boss.fetch<Payload>(kind.queue, options)
    const isOther = ({ data: { lane: key } }: Job<Payload>) =>
      key === undefined || this.#exhausted?.includes(key) === false
    if (jobs.length < size) this.#exhausted = this.#invalidations === before ? full : undefined
    else if (jobs.some(isOther)) this.#exhausted = undefined
    return jobs
  }

  #accept(jobs: readonly Job<Payload>[]) {
    const deliveries: Delivery[] = []
    const rejected: Rejected[] = []
    for (const job of jobs) {
      const { id, retryCount, data } = job
      const { jobId, lane: concurrencyKey, requestId, trace } = data
      const origin = { ...(requestId !== undefined && { requestId }), ...(trace !== undefined && { trace }) }
      if (this.#options.limiter.tryAcquire(concurrencyKey))
        deliveries.push({ id, retryCount, jobId, concurrencyKey, origin })
      else rejected.push({ id, retryCount })
    }
    return { deliveries, rejected }
  }

  #isNothingBesides(): boolean {
    if (this.#exhausted === undefined || this.#exhausted.length === 0) return false
    const full = this.#options.limiter.full()
    return this.#exhausted.every((key) => full.includes(key))
  }
}

/** Connections keep every size as a prepared statement, so only few sizes are used. */
const sizeFor = (free: number, batch: number): number => (free >= batch ? batch : 2 ** Math.floor(Math.log2(free)))
