import { JOB_TYPES, type JobType, queuedKindOf } from '../catalog/job-kinds.ts'

export const queuedTypeSql = (type: string): string =>
  `${type} in (${JOB_TYPES.filter(queuedKindOf)
    .map((one) => `'${one}'`)
    .join(', ')})`

export const isCompanion = (type: JobType): boolean => type.startsWith('companion_')

export const JOB_DECISIONS = ['pass', 'reject'] as const
export type JobDecision = (typeof JOB_DECISIONS)[number]

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** `processing` may follow itself with a new attempt number. */
const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['processing', 'failed'],
  processing: ['processing', 'completed', 'failed'],
  completed: [],
  failed: [],
}

/** The states from which `to` may be reached; every update repeats them. */
export const statesBefore = (to: JobStatus): JobStatus[] =>
  JOB_STATUSES.filter((from) => TRANSITIONS[from].includes(to))

export const isTerminal = (status: JobStatus): boolean => TRANSITIONS[status].length === 0

/** Generic sentences for the job's owner. */
export const JOB_ERRORS = {
  PROVIDER_BUSY: 'Capacity is throttled: submit the job again after a short backoff.',
  PROVIDER_UNAVAILABLE: 'The rendering service is unavailable: submit the job again after a short backoff.',
  JOB_TIMEOUT: 'The job ran past its time limit: submit it again, or simplify the request.',
  JOB_CANCELLED: 'The job was cancelled: submit it again if that was not intended.',
  RENDER_FAILED: 'The engine rejected the request: fix the inputs before you submit it again.',
  CHARGE_FAILED: 'The charge failed: top up the account before you submit the job again.',
  QUEUE_FAILED: 'The job could not be queued: submit it again.',
  INTERNAL_ERROR: 'Something went wrong on our side: submit the job again, then contact support with its job_id.',
} as const
export type JobErrorCode = keyof typeof JOB_ERRORS

/** A failure's code for the owner and its cause for the operator. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly code: JobErrorCode

  constructor(code: JobErrorCode, cause: string) {
    // PostgreSQL refuses NUL in an engine's words.
    super(cause.replaceAll('\0', '').toWellFormed())
    this.code = code
  }
}
