import type { Context } from '../../context/context.ts'
import type { AttemptEnding } from '../../queue/attempt-endings.ts'

export interface StoredAttempt {
  readonly jobId: string
  readonly number: number
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  /** Null if the job's row says how it ends. */
  readonly ending: AttemptEnding | null
  readonly worker: string | null
  readonly cause: string | null
}

const LOAD = `select job_id as "jobId", attempt as number, started_at as "startedAt", ended_at as "endedAt", ending, worker, cause
  from job_attempt where job_id = any($1) order by job_id, attempt`

/** Attempts by job and number. The caller has authorised the access. */
export async function loadAttempts(
  { db }: Pick<Context, 'db'>,
  jobIds: readonly string[],
): Promise<Map<string, StoredAttempt[]>> {
  const { rows } = await db.pool.query<StoredAttempt>({ name: 'job_attempts', text: LOAD, values: [jobIds] })
  return Map.groupBy(rows, ({ jobId }) => jobId)
}
