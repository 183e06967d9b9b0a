import type { JobFailure } from '../job-states.ts'
import type { Claim } from './claim-job.ts'
import { endJob } from './end-job.ts'
import type { EndingParts, Provenance } from './job-end.ts'

/**
 * Fails a job once; only the operator sees the cause.
 * @returns false if a worker has claimed the job since or it has ended
 */
export const failJob = (
  parts: EndingParts,
  { jobId, accountId, attempt }: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  failure: JobFailure,
  provenance: Provenance = {},
): Promise<boolean> => endJob(parts, { jobId, accountId, attempt, failure, provenance })
