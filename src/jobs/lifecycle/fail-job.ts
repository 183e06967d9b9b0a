import type { JobFailure } from '../job-states.ts'
import type { Claim } from './claim-job.ts'
import { endJob } from './end-job.ts'
import type { EndingParts, Provenance } from './job-end.ts'

/**
 * Fails a job, once. The cause is kept for the operator only, and what the engine said of its work as it is for completed jobs. Returns
 * false where a worker has taken the job since this attempt number was read, or the job has ended: then nothing was written.
 */
export const failJob = (
  parts: EndingParts,
  { jobId, accountId, attempt }: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  failure: JobFailure,
  provenance: Provenance = {},
): Promise<boolean> => endJob(parts, { jobId, accountId, attempt, failure, provenance })
