import type { JobDetailQuery } from '../operations.ts'

/** A job with all that its page shows. */
export type Job = JobDetailQuery['job']
