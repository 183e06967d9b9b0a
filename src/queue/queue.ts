import type { Database, Tx } from '../db/database.ts'
import type { JobKind } from './job-kind.ts'

/** A prepared statement with its values. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** Where verbs put work. Workers take it out through `dispatch-jobs.ts`. */
export interface Queue {
  /** Queues a job in the caller's transaction: it is there when that commits, and never was when it rolls back. */
  enqueue(tx: Tx, kind: JobKind, jobId: string): Promise<void>
  /** Runs an insert and queues the job in one statement, which is its own transaction: one way to the database instead of four. */
  enqueueWith(db: Database, insert: Statement, kind: JobKind, jobId: string): Promise<void>
  /** Queues a job whose first place in the queue is gone. */
  enqueueAgain(tx: Tx, kind: JobKind, jobId: string): Promise<void>
  /** Those of the jobs that no queue holds, waiting or running. */
  unqueued(tx: Tx, jobIds: readonly string[]): Promise<string[]>
  /**
   * Tells the workers of every process that there is work; to be called after the commit. Best effort: a worker that misses it
   * finds the job within a second by itself.
   */
  wake(kind: JobKind): void
}
