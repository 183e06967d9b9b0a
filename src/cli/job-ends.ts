import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { jobNotFound } from '../errors/service-error.ts'
import type { JobErrorCode, JobStatus } from '../jobs/job-states.ts'

const POLL_MS = 100
const STATES = `
  select j.id, j.status, j.error_code as "errorCode", a.storage_key as "storageKey", a.duration_ms as "durationMs"
  from job j left join artifact a on a.job_id = j.id and a.output = 'audio' and a.deleted_at is null
  where j.id = any($1)`

export interface JobState {
  readonly id: string
  readonly status: JobStatus
  readonly errorCode: JobErrorCode | null
  /** Null unless the job is completed and its audio exists. */
  readonly storageKey: string | null
  readonly durationMs: number | null
}

interface Waiting {
  readonly resolve: (state: JobState) => void
  readonly reject: (error: unknown) => void
}

/** Waits for the ends of many jobs by one query at a time. */
export class JobEnds {
  readonly #db: Pick<Database, 'pool'>
  readonly #signal: AbortSignal
  readonly #waiting = new Map<string, Waiting>()
  #isPolling = false
  /** True once a worker has taken one of the jobs. */
  hasBegun = false

  constructor(db: Pick<Database, 'pool'>, signal: AbortSignal) {
    this.#db = db
    this.#signal = signal
  }

  /** @throws NOT_FOUND for a job that is gone, the signal's reason */
  of(jobId: string): Promise<JobState> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(jobId, { resolve, reject })
      if (!this.#isPolling) void this.#poll()
    })
  }

  async #poll(): Promise<void> {
    this.#isPolling = true
    try {
      while (this.#waiting.size > 0) {
        await this.#look([...this.#waiting.keys()])
        await wait(POLL_MS, undefined, { signal: this.#signal })
      }
    } catch (error) {
      const reason = this.#signal.aborted ? this.#signal.reason : error
      for (const jobId of [...this.#waiting.keys()]) this.#take(jobId)?.reject(reason)
    } finally {
      this.#isPolling = false
    }
  }

  async #look(jobIds: readonly string[]): Promise<void> {
    const { rows } = await this.#db.pool.query<JobState>(STATES, [jobIds])
    const states = new Map(rows.map((state) => [state.id, state]))
    for (const jobId of jobIds) {
      const state = states.get(jobId)
      if (state === undefined) this.#take(jobId)?.reject(jobNotFound())
      else if (state.status === 'completed' || state.status === 'failed') this.#take(jobId)?.resolve(state)
      if (state !== undefined && state.status !== 'queued') this.hasBegun = true
    }
  }

  #take(jobId: string): Waiting | undefined {
    const waiting = this.#waiting.get(jobId)
    this.#waiting.delete(jobId)
    return waiting
  }
}
