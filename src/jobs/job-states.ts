/** Every producer's kind of job. */
export const JOB_TYPES = ['voice', 'companion_chat', 'companion_retarget', 'companion_media_tag', 'generate'] as const
export type JobType = (typeof JOB_TYPES)[number]

/** The types that wait in a queue for a worker and whose end goes to a webhook. The others are finished in the answer to their request. */
const QUEUED_TYPES = ['voice', 'generate'] as const satisfies readonly JobType[]
export type QueuedType = (typeof QUEUED_TYPES)[number]

/** SQL of whether a job is of a queued type. @param type its column */
export const queuedTypeSql = (type: string): string =>
  `${type} in (${QUEUED_TYPES.map((one) => `'${one}'`).join(', ')})`

/** The producers that moderate: only their jobs carry a verdict. */
export const isCompanion = (type: JobType): boolean => type.startsWith('companion_')

/** A moderated job's verdict, as the list filters by it. */
export const JOB_DECISIONS = ['pass', 'reject'] as const
export type JobDecision = (typeof JOB_DECISIONS)[number]

/** The states of a job: the last two are terminal. */
export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/**
 * The legal moves. `processing` may follow itself: a worker that died is replaced, and the attempt number distinguishes the two.
 * Nothing leaves a terminal state.
 */
const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['processing', 'failed'],
  processing: ['processing', 'completed', 'failed'],
  completed: [],
  failed: [],
}

/** The states from which `to` may be reached: what an update's `where` repeats. */
export const statesBefore = (to: JobStatus): JobStatus[] =>
  JOB_STATUSES.filter((from) => TRANSITIONS[from].includes(to))

export const isTerminal = (status: JobStatus): boolean => TRANSITIONS[status].length === 0

/** Why a job failed, and the one sentence that its owner reads: generic by design. */
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

/** A job's failure: the code its owner sees, and a cause that only the operator sees. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly code: JobErrorCode

  constructor(code: JobErrorCode, cause: string) {
    // It may be a server's own words, and PostgreSQL would refuse the whole failure for a NUL.
    super(cause.replaceAll('\0', '').toWellFormed())
    this.code = code
  }
}
