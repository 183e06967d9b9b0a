import type { PgBoss } from 'pg-boss'
import type { KeyedLimiter } from '../concurrency/keyed-limiter.ts'
import type { Database } from '../db/database.ts'
import type { Notifier } from '../db/notifier.ts'
import type { Log } from '../values/log.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery, RowClaim } from './job-source.ts'
import type { BossQueue } from './pgboss/boss-queue.ts'
import type { ServerQueues } from './server-queue.ts'
import type { Ticket } from './ticket.ts'

/** Whether jobs can be finished now at all. */
export interface Gate {
  isOpen(): boolean
  /** Calls `poll` each time that it has opened. Returns what ends that. */
  onOpen(poll: () => void): () => void
}

/** What a dispatcher works with, and what it runs. */
export interface DispatchOptions {
  readonly boss: PgBoss
  readonly db: Database
  readonly queue: BossQueue
  readonly notifier: Notifier
  readonly log: Log
  readonly workerId: string
  readonly kind: JobKind
  /** How many jobs run at once in this process besides those of `serverQueues`; asked again for every claim. */
  readonly slots: number | (() => number)
  /** While it is closed nothing is claimed; absent: it is always open. */
  readonly gate?: Gate
  /** Where jobs wait for a server with a limit. Absent: no server has one. */
  readonly serverQueues?: ServerQueues
  /**
   * Runs one job. When it throws, the job is delivered again; `signal` is aborted when the job was cancelled, now belongs to another
   * worker or must be released. Resolves with 'settled' where it took the delivery out of the queue itself (`dequeue`).
   * @param ticket at its server, to be waited for and to be released as soon as the server is done; absent where that has no limit
   */
  handle(jobId: string, signal: AbortSignal, delivery: Delivery, ticket: Ticket | undefined): Promise<unknown>
  /** Which of the running jobs are neither finished nor rescued: asked with every heartbeat, as a notification may have been lost. */
  stillOwned?(jobIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Claims the jobs' own rows together with their deliveries; absent: `handle` claims each. */
  readonly rowClaim?: RowClaim
  /** Jobs of full concurrency keys stay in the queue; absent: accounts are served round robin. */
  readonly limiter?: KeyedLimiter
}

/** Runs the jobs of one queue in this process. */
export interface Dispatcher {
  /** Jobs that run now. */
  readonly inFlight: number
  /** To be called where there is capacity again that no job's end has made. */
  poll(): void
  /** Stops and releases what is at servers with a limit: to be called when others may take this process for dead. */
  leaveServers(): void
  /** Stops what is at one server, for this reason: it is gone. */
  leaveServer(server: string, reason: Error): void
  /** Takes nothing new, waits for what runs, and releases what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>
}
