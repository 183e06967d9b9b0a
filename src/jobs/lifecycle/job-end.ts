import type { CaptionFormat } from '../../audio/caption-format.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { JobFailure } from '../job-states.ts'
import type { EndedJob } from '../notes/note-end.ts'
import type { StoredOutput } from '../sign-outputs.ts'

export interface MadeDelivery {
  /** The caller calls it after the commit. */
  committed(): void
}

export interface DeliveryPort {
  /** Creates and queues the delivery in the transaction that ended the job. */
  create(tx: Tx, job: JobName, url: string): Promise<MadeDelivery>
  /**
   * Completes a job and creates its delivery in one shared statement. Returns null if only a transaction can do it.
   * @throws if the claim does not stand, or the error of the statement; after a lost answer the write may exist
   */
  createWithEnd(job: JobName, end: OwnEnd): Promise<EndedWithDelivery | null>
}

export interface OwnEnd {
  readonly outputs: readonly StoredOutput[]
  /**
   * Returns table expressions: `chosen` (`id` of each delivery, `job_id`) and `ended` (that job). Both omit a job whose claim or
   * receiver changed.
   */
  with(deliveryIds: `$${number}`, at: (n: number) => `$${number}`): string
  values(delivered: DeliveredEnd): readonly unknown[]
}

export interface DeliveredEnd {
  readonly endedAt: Date
  readonly url: string
}

interface EndedWithDelivery {
  readonly ended: EndedJob
  readonly made: MadeDelivery
}

export interface EndingParts extends Parts, MeasuredParts {
  readonly deliveries: DeliveryPort
}

export interface JobName {
  readonly accountId: string
  readonly jobId: string
}

export interface Provenance {
  /** Voice jobs only. */
  readonly chunks?: number | null
  readonly providerJobId?: string | null
  readonly gpuExecutionTimeMs?: number | null
}

export interface JobEnd extends JobName {
  /** Absent: the job is completed. */
  readonly failure?: JobFailure
  readonly provenance?: Provenance | undefined
  /** On companion jobs. */
  readonly verdict?: { readonly isProhibited: boolean; readonly reason: string | null }
  /** Absent: any attempt may end. */
  readonly attempt?: number
  /** Set if the job fails before this attempt begins. */
  readonly nextAttempt?: number
  /** Writes the caller's rows in the same transaction. */
  also?(tx: Tx): Promise<void>
}

export interface FinishedArtifact {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: Uint8Array
  readonly durationMs: number | null
  readonly timing?: Uint8Array | undefined
  readonly captions?: readonly CaptionFormat[] | undefined
}

export interface Completion {
  readonly claim: { readonly jobId: string; readonly attempt: number }
  readonly artifacts: readonly FinishedArtifact[]
  readonly provenance: Provenance
  /** Undefined if the queue holds no row. */
  readonly row: QueueRow | undefined
  readonly delivered?: DeliveredEnd
}
