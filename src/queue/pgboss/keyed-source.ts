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

/** What is stored with a job in the queue; `lane` is its concurrency key. */
interface Payload extends Origin {
  readonly jobId: string
  readonly lane?: string
}

/** Leaves the jobs of full concurrency keys in the queue: a key that does not move holds no other up. */
export const keyedSource = (options: KeyedSourceOptions): JobSource => new KeyedSource(options)

class KeyedSource implements JobSource {
  readonly #options: KeyedSourceOptions
  /** Large once everything fetched has been accepted, small again when something had to be released. */
  #batch: number
  /**
   * The keys besides which nothing waited at the last fetch. Looking past a full key reads all that waits for it, so that is not done again
   * before there may be something new.
   */
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
    // Their keys are left out of the next fetch, which finds others instead.
    await this.#release(rejected)
    return { deliveries, more: true }
  }

  /** Never rejects: what was accepted counts in the limiter, and is to begin. What could not be released comes back when its heartbeat runs out. */
  async #release(rejected: readonly Rejected[]): Promise<void> {
    const { queue, kind, workerId, log } = this.#options
    try {
      await queue.release(kind, rejected, workerId)
    } catch (error) {
      log.warn({ err: (error as Error).message, queue: kind.queue }, 'jobs could not be released to the queue')
    }
  }

  left({ concurrencyKey }: Delivery, free: number): boolean {
    // Where a key is still full and slots are free, there is nothing new to fetch.
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

  /** Whether the keys besides which nothing waits are all full: a look would read all that waits for them, and bring nothing. */
  #isNothingBesides(): boolean {
    if (this.#exhausted === undefined || this.#exhausted.length === 0) return false
    const full = this.#options.limiter.full()
    return this.#exhausted.every((key) => full.includes(key))
  }
}

/** pg-boss writes the size into the statement, and every statement stays prepared on every connection: a few sizes do. */
const sizeFor = (free: number, batch: number): number => (free >= batch ? batch : 2 ** Math.floor(Math.log2(free)))
