import { ATTEMPT_ENDINGS, type AttemptOutcome } from '../../queue/attempt-endings.ts'
import { errorOf, type Job } from '../job-shape.ts'
import type { JobStatus } from '../job-states.ts'
import type { StoredAttempt } from './load-attempts.ts'

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

const OUTCOMES: Readonly<Record<JobStatus, AttemptOutcome | null>> = {
  queued: null,
  processing: null,
  completed: 'completed',
  failed: 'failed',
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
