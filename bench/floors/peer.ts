import type { Pool, PoolClient } from 'pg'

export const AT_ONCE = 32

/** Does the work of a job, and may be given the same one twice. */
export type Work = (jobId: string) => Promise<void>

export interface PeerOptions {
  readonly connectionString: string
  readonly pool: Pool
  readonly jobs: number
}

/** A queue with jobs in it, or without. */
export interface Peer {
  /** @param tx in which the job's own row was inserted: what can commit with it does */
  add(jobId: string, tx: PoolClient): Promise<unknown>
  /** Ends once all are done with, and their completions committed. */
  drain(work: Work): Promise<void>
  close(): Promise<void>
}
