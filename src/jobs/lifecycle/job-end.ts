import type { CaptionFormat } from '../../audio/caption-format.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { JobFailure } from '../job-states.ts'
import type { EndedJob } from '../notes/note-end.ts'
import type { StoredOutput } from '../sign-outputs.ts'

/** A delivery that was created, as long as its transaction is under way. */
export interface MadeDelivery {
  /** To be called after the commit. */
  committed(): void
}

/** What the end of a job is delivered through: webhooks implement it, the runtime injects it. */
export interface DeliveryPort {
  /** Creates and queues the delivery of a job that `tx` just ended: it is there if and only if the terminal state is. */
  create(tx: Tx, job: JobName, url: string): Promise<MadeDelivery>
  /**
   * Completes a job and creates its delivery in one statement, which those share that come while another one is under way. null: that
   * cannot be.
   * @throws where the claim does not stand, or what PostgreSQL says of any that share the statement: an answer that was lost leaves open
   * whether it was written
   */
  createWithEnd(job: JobName, end: OwnEnd): Promise<EndedWithDelivery | null>
}

/** A job's completion as part of the statement that creates its delivery. */
export interface OwnEnd {
  /** What is completed with it, in the order in which polling has it. */
  readonly outputs: readonly StoredOutput[]
  /**
   * Common table expressions of a statement that may end others as well: `chosen` has the `id` of each delivery that is to be created, with
   * its `job_id`, and `ended` that job. A job is in neither that is not its claim's any more, or has another receiver.
   */
  with(deliveryIds: `$${number}`, at: (n: number) => `$${number}`): string
  values(delivered: DeliveredEnd): readonly unknown[]
}

/** What the payload and the address of a delivery say of the end that is written with it. */
export interface DeliveredEnd {
  readonly endedAt: Date
  readonly url: string
}

interface EndedWithDelivery {
  readonly ended: EndedJob
  readonly made: MadeDelivery
}

/** What ending a job needs besides a context's parts. */
export interface EndingParts extends Parts, MeasuredParts {
  readonly deliveries: DeliveryPort
}

/** A job and the account that it belongs to. */
export interface JobName {
  readonly accountId: string
  readonly jobId: string
}

/** What the engine says of its own work. */
export interface Provenance {
  /** Of how many chunks the audio was made: voice jobs only. */
  readonly chunks?: number | null
  readonly providerJobId?: string | null
  readonly gpuExecutionTimeMs?: number | null
}

/** How a job ends, and which claim on it must still stand. */
export interface JobEnd extends JobName {
  /** Absent: the job is completed. */
  readonly failure?: JobFailure
  readonly provenance?: Provenance | undefined
  /** On companion jobs; `reason` is the sentence that says why a request was rejected. */
  readonly verdict?: { readonly isProhibited: boolean; readonly reason: string | null }
  /** The attempt that the caller knows of; absent: whichever it is. */
  readonly attempt?: number
  /** The attempt in which the job fails before it was begun. */
  readonly nextAttempt?: number
  /** Written in the same transaction, before the delivery is made. */
  also?(tx: Tx): Promise<void>
}

/** A stored output of an attempt. */
export interface FinishedArtifact {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: Uint8Array
  /** Of audio; null for anything else. */
  readonly durationMs: number | null
  /** Of speech alone. */
  readonly timing?: Uint8Array | undefined
  readonly captions?: readonly CaptionFormat[] | undefined
}

/** A job that its engine is done with, and whose files are stored. */
export interface Completion {
  readonly claim: { readonly jobId: string; readonly attempt: number }
  readonly artifacts: readonly FinishedArtifact[]
  readonly provenance: Provenance
  /** Taken out of the queue with the job's completion; absent: it is in none. */
  readonly row: QueueRow | undefined
  /** Where a delivery is created with it: the time of the end as its payload says, and its receiver. */
  readonly delivered?: DeliveredEnd
}
