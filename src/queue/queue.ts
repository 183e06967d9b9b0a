import type { Database, Tx } from '../db/database.ts'
import type { JobKind } from './job-kind.ts'

/** Whose turn a job waits for: accounts are served in turn at each server, so that none holds up another. */
export interface Turn {
  readonly accountId: string
  /** What does the work; its limit of jobs at once is counted over all queues. */
  readonly server: string
}

export interface EnqueueOptions {
  readonly turn?: Turn
  /** Instead of a turn: jobs of one lane stay in the queue while their worker has no room for the lane. */
  readonly lane?: string
  /** Seconds from now before which no worker gets it. */
  readonly delaySeconds?: number
}

/** A prepared statement with its values. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** Where verbs put work. Workers take it out through `dispatch-jobs.ts`. */
export interface Queue {
  /** Makes sure that the queue is there: to be called before the transaction that uses it. Free once it is. */
  prepare(kind: JobKind): Promise<void>
  /** Queues a job in the caller's transaction: it is there when that commits, and never was when it rolls back. */
  enqueue(tx: Tx, kind: JobKind, jobId: string, options?: EnqueueOptions): Promise<void>
  /**
   * Runs an insert and queues the job in one statement, which is its own transaction, and wakes the workers: one way to the database
   * instead of five.
   */
  enqueueWith(db: Database, insert: Statement, kind: JobKind, jobId: string, options?: EnqueueOptions): Promise<void>
  /** Queues a job whose first place in the queue is gone or done with. */
  enqueueAgain(tx: Tx, kind: JobKind, jobId: string, options?: EnqueueOptions): Promise<void>
  /** Takes a job out again that no worker has yet. */
  withdraw(tx: Tx, jobId: string): Promise<void>
  /** Those of the jobs that no queue holds, waiting or running. */
  unqueued(tx: Tx, jobIds: readonly string[]): Promise<string[]>
  /**
   * Tells the workers of every process that there is work; to be called after the commit. Best effort: a worker that misses it
   * finds the job within a second by itself.
   */
  wake(kind: JobKind): void
  /** Has the worker that holds the job, wherever it is, stop it; to be called after the commit. Best effort: its result counts for nothing. */
  abort(jobId: string): void
}
