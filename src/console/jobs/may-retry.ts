/** The same request would fail again, or its user did not want it: the sentence of each says what to do first. */
const FINAL = ['JOB_CANCELLED', 'RENDER_FAILED', 'CHARGE_FAILED']

/** Companion jobs end in their own response. */
export const isQueued = ({ type }: { readonly type: string }): boolean => !type.startsWith('COMPANION_')

interface Ended {
  readonly status: string
  readonly errorCode?: string | null
  /** The service has what it was sent. */
  readonly isRetryable: boolean
}

/** Tells if the same request may succeed later. */
export const mayRetry = (job: Ended): boolean => isWorthRetry(job) && job.isRetryable

/** Tells if a job would be retried, had the service kept what it was sent. */
export const lacksInputs = (job: Ended): boolean => isWorthRetry(job) && !job.isRetryable

const isWorthRetry = ({ status, errorCode }: Ended): boolean => status === 'FAILED' && !FINAL.includes(errorCode ?? '')
