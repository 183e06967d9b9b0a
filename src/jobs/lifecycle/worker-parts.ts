import type { QueueRow } from '../../queue/job-source.ts'
import type { StoreWatch } from '../../storage/store-watch.ts'
import type { ClaimParts } from './claim-job.ts'
import type { ClaimRegistry } from './claim-registry.ts'

/** What a worker has besides the parts of its runtime. */
export interface WorkerParts extends ClaimParts {
  /** This process in the list of workers. */
  readonly workerId: string
  /** Whether what the worker makes can be stored now. */
  readonly storeWatch: StoreWatch
  /** Where claims under way are noted; absent: they are not noted. */
  readonly claims?: ClaimRegistry
  /** Where the job's delivery is in the queue; absent: in none. */
  readonly row?: QueueRow
}
