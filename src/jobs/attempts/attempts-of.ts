import { ATTEMPT_ENDINGS, type AttemptOutcome } from '../../queue/attempt-endings.ts'
import { errorOf, type Job } from '../job-shape.ts'
import type { JobStatus } from '../job-states.ts'
import type { StoredAttempt } from './load-attempts.ts'

/** One worker's try at a job. */
export interface JobAttempt extends Pick<StoredAttempt, 'jobId' | 'number' | 'startedAt' | 'endedAt'> {
  /** Null while it runs. */
  readonly outcome: AttemptOutcome | null
  /** Why it ended without a result, as the job's owner reads it. */
  readonly error: string | null
  /** For the operator alone. Of a first attempt that has not been replaced the queue alone knows it, and while it runs. */
  readonly worker: string | null
  /** For the operator alone; null of the attempt that failed the job, whose row has it. */
  readonly cause: string | null
  readonly hasFailedJob: boolean
}

/** What a job's own row says of its attempts. */
type TriedJob = Pick<Job, 'id' | 'attempt' | 'status' | 'startedAt' | 'completedAt' | 'errorCode'>

const OUTCOMES: Readonly<Record<JobStatus, AttemptOutcome | null>> = {
  queued: null,
  processing: null,
  completed: 'completed',
  failed: 'failed',
}

/** Where a job was completed by its first attempt, its own row says everything. */
export const hasStoredAttempts = ({ attempt, status }: TriedJob): boolean =>
  attempt > 1 || (attempt === 1 && status !== 'completed')

/** The attempts at a job that are known, in order. The last one is as the job's own row has it, unless it ended before the job did. */
export function attemptsOf(job: TriedJob, stored: readonly StoredAttempt[]): JobAttempt[] {
  if (job.attempt === 0) return []
  const earlier = stored.filter(({ number }) => number < job.attempt).map(endedAttempt)
  const last = stored.find(({ number }) => number === job.attempt)
  const isEnded = last !== undefined && last.ending !== null && job.status !== 'completed'
  return [...earlier, isEnded ? endedAttempt(last) : lastAttempt(job, last)]
}

function endedAttempt({ ending, ...attempt }: StoredAttempt): JobAttempt {
  // A newer version may have stored what this one does not know.
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
