import type { Database, Tx } from '../db/database.ts'
import type { JobKind } from './job-kind.ts'
import type { Delivery } from './job-source.ts'

/** What a job's share is counted by: accounts are served round robin at each server, so that none holds up another. */
interface FairShare {
  readonly accountId: string
  /** What does the work; its limit of jobs at once is counted over all queues. */
  readonly server: string
  /** Somebody waits for it: it comes before those for which nobody does. */
  readonly isAwaited?: boolean
}

/** Which others a job shares limits with, and when it may be taken. */
export interface EnqueueOptions {
  readonly fairShare?: FairShare
  /** Instead of a fair share: jobs of one key stay in the queue while their worker has no capacity for the key. */
  readonly concurrencyKey?: string
  /** Seconds from now before which no worker gets it. */
  readonly delaySeconds?: number
}

/** One row of a prepared statement that inserts any number of them. */
export interface RowInsert {
  readonly name: string
  /** Its parameters are arrays, one for each column. It inserts nothing unless `condition` holds, and returns each row's job id as `queued`. */
  text(condition: string): string
  /** One value for each column. */
  readonly row: readonly unknown[]
  /** Common table expressions that belong to it. */
  readonly with?: string
  /** Names the table expression with the `id` of each job whose row is inserted: only these are queued. Absent: all are. */
  readonly chosen?: string
}

/** The jobs of an endpoint or a workflow: the route by which they waited, and the one that its engine block now gives them. */
export interface Reroute {
  readonly endpointKey: string
  readonly from: QueueRoute
  readonly to: QueueRoute
}

/** Where the jobs of an endpoint wait. */
export interface EndpointRoute {
  readonly endpointKey: string
  readonly route: QueueRoute
}

/** A delivery that `workerId` has claimed, and that belongs to another queue. */
export interface TakenDelivery {
  readonly delivery: Pick<Delivery, 'id' | 'retryCount'>
  readonly from: JobKind
  readonly to: QueueRoute
  readonly workerId: string
}

/** A job that no queue holds any more, as its row was then. */
export interface OrphanedJob {
  readonly jobId: string
  readonly accountId: string
  readonly attempt: number
}

/** What a dead worker had claimed of one queue. */
export interface RescuedDeliveries {
  readonly queue: string
  readonly worker: string
  readonly jobs: number
  readonly taken: readonly TakenJob[]
}

/** A job of a dead worker; webhook deliveries are in it as well. */
interface TakenJob {
  readonly jobId: string
  readonly server: string
  /** Null where it is no job, or gone; 0 where it was never begun. */
  readonly attempt: number | null
  /** Null where it is no job, or gone. */
  readonly accountId: string | null
}

/** Where verbs put work. Workers take it out through `dispatch-jobs.ts`. */
export interface Queue {
  /** Makes sure that the queue is there: to be called before the transaction that uses it. Free once it is. */
  prepare(kind: JobKind): Promise<void>
  /** Queues a job in the caller's transaction, which has the job's own row. */
  enqueue(tx: Tx, kind: JobKind, jobId: string, options?: EnqueueOptions): Promise<void>
  /**
   * Inserts a row and queues its job in one statement of its own, and wakes the workers. The next statement takes what comes meanwhile.
   * Resolves with the insertion's answer; undefined if the insertion did not choose the row.
   */
  enqueueWith<Row extends object>(
    db: Database,
    insert: RowInsert,
    kind: JobKind,
    jobId: string,
    options?: EnqueueOptions,
  ): Promise<Row | undefined>
  /**
   * A statement that ends deliveries, to be part of the one that ends the work itself: cheaper than a completion of their own, and no
   * crash comes between the two. `ids` and `retryCounts` are its parameters, arrays of equal length.
   */
  dequeueing(kind: JobKind, ids: `$${number}`, retryCounts: `$${number}`): string
  /** Takes a job out again that no worker has yet. */
  withdraw(tx: Tx, jobId: string): Promise<void>
  /**
   * A statement of those of the ids that no queue holds, waiting or running; as `id`. It reads the ids and the queue at one moment: between two
   * statements a job may end, or be queued, and would seem lost.
   * @param ids a query of one column `id`
   */
  unqueued(ids: string): string
  /**
   * Notifies the workers of every process of work; to be called after the commit. Best effort: a worker that misses it
   * finds the job within a second by itself.
   */
  wake(kind: JobKind): void
  /** Has the jobs that wait for an endpoint or a workflow wait in another queue: they count for the limit of the server that will do them. */
  reroute(move: Reroute): Promise<void>
  /** Puts a delivery where the jobs of its endpoint wait now. It is then no longer the worker's. */
  rerouteDelivery(taken: TakenDelivery): Promise<void>
  /** Reroutes the jobs that wait in voice queues outside of `routes` by the route of their endpoint. Returns how many there were. */
  rerouteOrphaned(routes: readonly EndpointRoute[]): Promise<number>
  /** Takes the voice jobs out whose endpoint was deleted while they waited. */
  withdrawOrphaned(): Promise<OrphanedJob[]>
  /** Which worker has each of these jobs; none for those that wait, or that `enqueue` queued. */
  workersOf(db: Pick<Tx, 'query'>, jobIds: readonly string[]): Promise<Map<string, string>>
  /** Makes the deliveries of workers available whose last heartbeat is older than `deadAfterMs`; never those of `workerId`. */
  rescue(deadAfterMs: number, workerId: string): Promise<RescuedDeliveries[]>
  /** Removes a worker from the claims, and makes available again what it took without knowing it: the answer to a claim was lost. */
  releaseWorker(workerId: string): Promise<void>
  /** Makes the worker that has claimed the job, in whatever process, stop it; to be called after the commit. Best effort: its result counts for nothing. */
  abort(jobId: string): void
}

/** Where jobs wait: in the queue of a pool, for a server. */
export interface QueueRoute {
  readonly kind: JobKind
  /** The server's address, or the kind of an engine that runs inside the worker. */
  readonly server: string
}
