import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ATTEMPT_ENDINGS, type AttemptEnding, type AttemptOutcome } from '../../queue/stopping.ts'
import type { OperatorJob } from '../job.ts'
import { errorOf, type Job } from '../job-shape.ts'
import type { JobStatus } from '../job-states.ts'

const OUTCOMES: Readonly<Record<JobStatus, AttemptOutcome | null>> = {
  queued: null,
  processing: null,
  completed: 'completed',
  failed: 'failed',
}

/** SQL, because statements of `db.pool` count towards the caller's share of the connections. */
const LOAD = `select job_id as "jobId", attempt as number, started_at as "startedAt", ended_at as "endedAt", ending, worker, cause
  from job_attempt where job_id = any($1) order by job_id, attempt`

export interface JobAttempt extends Pick<StoredAttempt, 'jobId' | 'number' | 'startedAt' | 'endedAt'> {
  readonly outcome: AttemptOutcome | null
  readonly error: string | null
  /** For the operator only, as `cause` is. */
  readonly worker: string | null
  /** Null also if this attempt failed the job: the job's row holds that cause. */
  readonly cause: string | null
  readonly hasFailedJob: boolean
}

type TriedJob = Pick<Job, 'id' | 'attempt' | 'status' | 'startedAt' | 'completedAt' | 'errorCode'>

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

/**
 * A job's attempts with their internal causes.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function showAttempts(ctx: Context, job: OperatorJob): Promise<JobAttempt[]> {
  requireOperator(ctx)
  const stored = (await loadAttempts(ctx, [job.id])).get(job.id) ?? []
  return attemptsOf(job, stored).map((one) => (one.hasFailedJob ? { ...one, cause: job.cause } : one))
}

export const hasStoredAttempts = ({ attempt, status }: TriedJob): boolean =>
  attempt > 1 || (attempt === 1 && status !== 'completed')

/** The known attempts at a job, in order. */
export function attemptsOf(job: TriedJob, stored: readonly StoredAttempt[]): JobAttempt[] {
  if (job.attempt === 0) return []
  const earlier = stored.filter(({ number }) => number < job.attempt).map(endedAttempt)
  const last = stored.find(({ number }) => number === job.attempt)
  const isEnded = last !== undefined && last.ending !== null && job.status !== 'completed'
  return [...earlier, isEnded ? endedAttempt(last) : lastAttempt(job, last)]
}

function endedAttempt({ ending, ...attempt }: StoredAttempt): JobAttempt {
  // A newer version may store endings that this version does not know.
  const { outcome, message } = ATTEMPT_ENDINGS[ending ?? 'unknown'] ?? ATTEMPT_ENDINGS.unknown
  return { ...attempt, outcome, error: message, hasFailedJob: false }
}

function lastAttempt(job: TriedJob, stored: StoredAttempt | undefined): JobAttempt {
  return {
    jobId: job.id,
    number: job.attempt,
    startedAt: stored?.startedAt ?? (job.attempt === 1 ? job.startedAt : null),
    endedAt: job.completedAt,
    outcome: OUTCOMES[job.status],
    error: errorOf(job)?.message ?? null,
    worker: stored?.worker ?? null,
    cause: null,
    hasFailedJob: job.status === 'failed',
  }
}

/** Attempts by job and number. The caller has authorised the access. */
export async function loadAttempts(
  { db }: Pick<Context, 'db'>,
  jobIds: readonly string[],
): Promise<Map<string, StoredAttempt[]>> {
  const { rows } = await db.pool.query<StoredAttempt>({ name: 'job_attempts', text: LOAD, values: [jobIds] })
  return Map.groupBy(rows, ({ jobId }) => jobId)
}
