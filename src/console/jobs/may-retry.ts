import type { JobRowFragment } from '../operations.ts'

/** The same request would fail again, or its user did not want it: the sentence of each says what to do first. */
const FINAL = ['JOB_CANCELLED', 'RENDER_FAILED', 'CHARGE_FAILED']

/** Companion jobs end in their own response. */
export const isQueued = ({ type }: Pick<JobRowFragment, 'type'>): boolean => !type.startsWith('COMPANION_')

/** Tells if the same request may succeed later. */
export const mayRetry = (job: Pick<JobRowFragment, 'type' | 'status' | 'errorCode'>): boolean =>
  job.status === 'FAILED' && isQueued(job) && !FINAL.includes(job.errorCode ?? '')
