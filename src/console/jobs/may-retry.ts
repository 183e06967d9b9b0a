/** The same request would fail again, or its user did not want it: the sentence of each says what to do first. */
const FINAL = ['JOB_CANCELLED', 'RENDER_FAILED', 'CHARGE_FAILED']

/** Companion jobs end in their own response. */
export const isQueued = ({ type }: { readonly type: string }): boolean => !type.startsWith('COMPANION_')

interface Ended {
  readonly __typename: string
  readonly type: string
  readonly status: string
  readonly errorCode?: string | null
  readonly textExcerpt?: string | null
}

/** Tells if the same request may succeed later. */
export const mayRetry = (job: Ended): boolean => isWorthRetry(job) && !isTextGone(job)

/** Tells if a job would be retried, had the service kept its text. */
export const lacksText = (job: Ended): boolean => isWorthRetry(job) && isTextGone(job)

const isWorthRetry = (job: Ended): boolean =>
  job.status === 'FAILED' && isQueued(job) && !FINAL.includes(job.errorCode ?? '')

const isTextGone = ({ __typename, textExcerpt }: Ended): boolean => __typename === 'VoiceJob' && textExcerpt === null
