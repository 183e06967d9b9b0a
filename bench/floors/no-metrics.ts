import type { Submission } from '../../src/jobs/lifecycle/queue-job.ts'

// What notes metrics of a submission, `note-submission.ts`, `measure-requests.ts` and `watch-pool.ts` in `src`, as it would be without metrics.

export const noteSubmission = (_ctx: unknown, _target: unknown, submit: () => Promise<Submission>) => submit()
export const noteRejection = (): void => undefined
export const measureRequests = (): void => undefined
export const watchPool = (): void => undefined
export const watchDirect = (): void => undefined
