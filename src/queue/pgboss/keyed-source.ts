import type { PgBoss } from 'pg-boss'
import type { KeyedLimiter } from '../../concurrency/keyed-limiter.ts'
import type { Log } from '../../values/log.ts'
import type { JobKind } from '../job-kind.ts'
import type { Delivery, JobSource, Origin, Taken } from '../job-source.ts'
import type { BossQueue } from './boss-queue.ts'

const TAKE_DUE = 'select id, retry_count as "retryCount", data from take_due($1, $2, $3, $4)'

interface KeyedSourceOptions {
  readonly boss: PgBoss
  readonly queue: BossQueue
  readonly kind: JobKind
  readonly limiter: KeyedLimiter
  readonly workerId: string
  readonly log: Log
}

type Rejected = Pick<Delivery, 'id' | 'retryCount'>

interface Row extends Rejected {
  readonly data: Payload
}

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

  async #fetch(size: number): Promise<readonly Row[]> {
    const { boss, queue, kind, limiter } = this.#options
    const full = limiter.full()
    const before = this.#invalidations
    const values = [kind.queue, queue.dueSince(kind), size, full]
    const { rows: jobs }: { rows: Row[] } = await boss.getDb().executeSql(TAKE_DUE, values)
    const isOther = ({ data: { lane: key } }: Row) => key === undefined || this.#exhausted?.includes(key) === false
    if (jobs.length < size) this.#exhausted = this.#invalidations === before ? full : undefined
    else if (jobs.some(isOther)) this.#exhausted = undefined
    return jobs
  }

  #accept(jobs: readonly Row[]) {
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
