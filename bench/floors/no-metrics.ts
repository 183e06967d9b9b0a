import type { Submission } from '../../src/jobs/lifecycle/queue-job.ts'

// Stands in for `note-submission.ts`, `measure-requests.ts` and `watch-pool.ts` of `src`, without metrics.

export const noteSubmission = (_ctx: unknown, _target: unknown, submit: () => Promise<Submission>) => submit()
export const noteRejection = (): void => undefined
export const measureRequests = (): void => undefined
export const watchPool = (): void => undefined
export const watchDirect = (): void => undefined
