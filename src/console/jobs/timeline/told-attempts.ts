import type { JobDetailQuery } from '../../operations.ts'

export type Attempt = JobDetailQuery['job']['attemptHistory'][number]

interface TriedJob {
  readonly attemptHistory: readonly Attempt[]
  readonly completedAt: string | null
}

/** The attempts that are told one by one; none of a job whose only one runs, or ended with it: the job's own times say that. */
export function toldAttempts({ attemptHistory, completedAt }: TriedJob): readonly Attempt[] {
  const [first, ...others] = attemptHistory
  const isAll = first === undefined || (others.length === 0 && first.endedAt === completedAt)
  return isAll ? [] : attemptHistory
}

/** Tells if the job waits for another worker: its last attempt has ended and the job has not. */
export const waitsAgain = ({ attemptHistory, completedAt }: TriedJob): boolean =>
  completedAt === null && (attemptHistory.at(-1)?.endedAt ?? null) !== null
