import type { Database, Tx } from '../db/database.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery } from './job-source.ts'

interface FairShare {
  readonly accountId: string
  /** A key that limits how many of its jobs run: the claim sees behind its jobs. */
  readonly limitedKey?: string | undefined
  readonly server: string
  readonly isAwaited?: boolean
}

/** Runs work in the log scope and the trace of a request or job. */
export type InScope = <Result>(work: () => Result) => Result

export interface EnqueueOptions {
  readonly fairShare?: FairShare
  /** Replaces the fair share; the worker leaves jobs of a full key queued. */
  readonly concurrencyKey?: string
  readonly delaySeconds?: number
  /** True if the job is in status processing: it holds a place of `max_running` and takes no other. */
  readonly holdsPlace?: boolean
}

export interface NewJob extends EnqueueOptions {
  readonly id: string
  /** Absent: the scope of the call. */
  readonly inScope?: InScope | undefined
}

export interface RowInsert {
  readonly name: string
  /** Takes an array per column. It inserts only if `condition` holds and returns each job id as `queued`. */
  text(condition: string): string
  readonly row: readonly unknown[]
  readonly with?: string
  /** Table expression with the `id` of each job to queue. Absent: all. */
  readonly chosen?: string
}

export interface Reroute {
  readonly endpointKey: string
  readonly from: QueueRoute
  readonly to: QueueRoute
}

export interface EndpointRoute {
  readonly endpointKey: string
  readonly route: QueueRoute
}

export interface TakenDelivery {
  readonly delivery: Pick<Delivery, 'id' | 'retryCount'>
  readonly from: JobKind
  readonly to: QueueRoute
  readonly workerId: string
}

export interface OrphanedJob {
  readonly jobId: string
  readonly accountId: string
  readonly attempt: number
}

export interface RescuedDeliveries {
  readonly queue: string
  readonly worker: string
  readonly jobs: number
  readonly taken: readonly TakenJob[]
}

interface TakenJob {
  readonly jobId: string
  readonly server: string
  /** Null for a delivery or a deleted job; 0 if it never began. */
  readonly attempt: number | null
  /** Null for a delivery or a deleted job. */
  readonly accountId: string | null
}

export interface Queue {
  /** Creates the queue if needed, before the caller's transaction. */
  prepare(kind: JobKind): Promise<void>
  /** Queues jobs in the transaction that inserts their rows. */
  enqueue(tx: Tx, kind: JobKind, jobs: readonly NewJob[]): Promise<void>
  /**
   * Inserts a row and queues its job in one shared statement, then wakes workers.
   * @returns false if the insertion did not choose the row
   */
  enqueueWith(db: Database, insert: RowInsert, kind: JobKind, jobId: string, options?: EnqueueOptions): Promise<boolean>
  /** Returns SQL to remove deliveries in the statement that ends their work, so no crash separates the two. */
  dequeueing(kind: JobKind, ids: `$${number}`, retryCounts: `$${number}`): string
  /** Removes a job that no worker has. */
  withdraw(tx: Tx, jobId: string): Promise<void>
  /**
   * Returns SQL for the ids that no queue holds. One statement reads the ids and the queue, because a job may move between two.
   * @param ids a query of one column `id`
   */
  unqueued(ids: string): string
  /** Notifies workers, after the commit. A worker that misses it finds the job within half a second. */
  wake(kind: JobKind): void
  /** The same for all queues. Never rejects. */
  wakeAll(db: Database): Promise<void>
  reroute(move: Reroute): Promise<void>
  rerouteDelivery(taken: TakenDelivery): Promise<void>
  /** Moves voice jobs outside of `routes` to their endpoint's route. Returns their number. */
  rerouteOrphaned(routes: readonly EndpointRoute[]): Promise<number>
  /** Removes waiting voice jobs whose endpoint was deleted. */
  withdrawOrphaned(): Promise<OrphanedJob[]>
  /** Maps claimed jobs to workers. It finds only jobs of `enqueueWith`, whose queue id is the job's UUID. */
  workersOf(db: Pick<Tx, 'query'>, jobIds: readonly string[]): Promise<Map<string, string>>
  /** Frees the deliveries of workers, except `workerId`, whose heartbeat is older than `deadAfterMs`. */
  rescue(deadAfterMs: number, workerId: string): Promise<RescuedDeliveries[]>
  /** Removes a worker from the claims and frees deliveries whose claim answer was lost. */
  releaseWorker(workerId: string): Promise<void>
  /** Tells the worker to stop the job, after the commit. The job's result has no effect either way. */
  abort(jobId: string): void
}

export interface QueueRoute {
  readonly kind: JobKind
  /** The server's address, or the kind of an in-process engine. */
  readonly server: string
}
