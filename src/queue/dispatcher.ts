import type { PgBoss } from 'pg-boss'
import type { KeyedLimiter } from '../concurrency/keyed-limiter.ts'
import type { Database } from '../db/database.ts'
import type { Notifier } from '../db/notifier.ts'
import type { Log } from '../values/log.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery, RowClaim } from './job-source.ts'
import type { BossQueue } from './pgboss/boss-queue.ts'
import type { ServerQueues, Ticket } from './server-queue.ts'

export interface Gate {
  isOpen(): boolean
  /** Returns a function that unsubscribes. */
  onOpen(poll: () => void): () => void
}

/** The place of a running job, which it gives up for good: from then on only the engine limits it. */
export interface Place {
  /** The job waits for its caller. */
  park(): void
  /** A caller hears the job. A job with a ticket releases that instead. */
  share(): void
}

export interface DispatchOptions {
  readonly boss: PgBoss
  readonly db: Database
  readonly queue: BossQueue
  readonly notifier: Notifier
  readonly log: Log
  readonly workerId: string
  readonly kind: JobKind
  /** Besides the jobs of `serverQueues`; so many that somebody waits for run besides. Read at every claim. */
  readonly slots: number | (() => number)
  readonly gate?: Gate
  readonly serverQueues?: ServerQueues
  /**
   * Runs one job; if it throws, the queue delivers again. `signal` aborts if the job was cancelled, moved to another worker or must
   * be released. Resolves with 'settled' if it removed the delivery.
   * @param ticket absent if the server has no limit
   */
  handle(
    jobId: string,
    signal: AbortSignal,
    delivery: Delivery,
    ticket: Ticket | undefined,
    place: Place,
  ): Promise<unknown>
  /** Returns the jobs that are neither finished nor rescued. */
  stillOwned?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
  readonly rowClaim?: RowClaim
  readonly limiter?: KeyedLimiter
}

export interface Dispatcher {
  readonly inFlight: number
  /** The caller polls when capacity appears without a job's end. */
  poll(): void
  /** The caller uses it when others may take this process for dead. */
  leaveServers(): void
  leaveServer(server: string, reason: Error): void
  /** Takes no new jobs, and releases those that run after `graceMs`. */
  stop(graceMs: number): Promise<void>
}
