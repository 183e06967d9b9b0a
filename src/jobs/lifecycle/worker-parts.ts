import type { QueueRow } from '../../queue/job-source.ts'
import type { StoreWatch } from '../../storage/store-watch.ts'
import type { ClaimParts } from './claim-job.ts'
import type { ClaimRegistry } from './claim-registry.ts'

export interface WorkerParts extends ClaimParts {
  readonly workerId: string
  readonly storeWatch: StoreWatch
  readonly claims?: ClaimRegistry
  readonly row?: QueueRow
}
