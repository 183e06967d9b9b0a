import type { QueueRow } from '../../queue/job-source.ts'
import type { ClaimRegistry } from './claim-registry.ts'
import type { BatchParts } from './job-batches.ts'

/** What a worker has besides the parts of its runtime. */
export interface WorkerParts extends BatchParts {
  /** Where claims under way are noted; absent: they are not noted. */
  readonly claims?: ClaimRegistry
  /** Where the job's delivery is in the queue; absent: in none. */
  readonly row?: QueueRow
}
