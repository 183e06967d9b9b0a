import type { Parts } from '../../context/context.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { newId } from '../../values/id.ts'
import { CALLBACK_URL, freezeDelivery } from '../../webhooks/delivery/create-delivery.ts'
import { ENDED_AT } from '../job-times.ts'
import { tellJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'

export interface FinishedArtifact {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: Uint8Array
  /** Of audio; null for anything else. */
  readonly durationMs: number | null
}

/** What the engine says of its own work: for generation jobs spec 2.10. */
export interface Provenance {
  /** Of how many chunks the audio was made: voice jobs only. */
  readonly chunks?: number | null
  readonly providerJobId?: string | null
  readonly gpuExecutionTimeMs?: number | null
}

/**
 * Completes a claimed job, records its artifacts and freezes its callback, in one transaction. Returns false where the claim is no
 * longer this worker's: then nothing was written. May be called again when the answer to a commit was lost.
 */
export async function completeJob(
  parts: Parts,
  claim: Claim,
  artifacts: readonly FinishedArtifact[],
  provenance: Provenance = {},
): Promise<boolean> {
  let frozen = false
  const completed = await inTransaction(parts.db, async (tx) => {
    const { rows } = await tx.query<{ callback_url: string | null }>(
      `update job set status = 'completed', completed_at = ${ENDED_AT}, provider_job_id = $3, gpu_execution_time_ms = $4,
         chunks_done = $5, chunks_total = $5
       where id = $1 and attempt = $2 and status = 'processing' returning ${CALLBACK_URL}`,
      [
        claim.jobId,
        claim.attempt,
        provenance.providerJobId ?? null,
        provenance.gpuExecutionTimeMs ?? null,
        provenance.chunks ?? null,
      ],
    )
    if (rows[0] === undefined) return alreadyCompleted(tx, claim)
    for (const artifact of artifacts) await insertArtifact(tx, claim, artifact, parts.now())
    const url = rows[0].callback_url
    if (url !== null) await freezeDelivery(parts, tx, { ...claim, kind: 'job' }, url)
    frozen = url !== null
    return true
  })
  if (frozen) parts.queue.wake(WEBHOOK_KIND)
  if (completed) tellJob(parts, claim)
  return completed
}

async function insertArtifact(tx: Tx, claim: Claim, artifact: FinishedArtifact, now: Date): Promise<void> {
  await tx.query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      newId('art', now),
      claim.jobId,
      artifact.output,
      artifact.storageKey,
      artifact.contentType,
      artifact.bytes,
      artifact.sha256,
      artifact.durationMs,
    ],
  )
}

async function alreadyCompleted(tx: Tx, claim: Claim): Promise<boolean> {
  const { rowCount } = await tx.query(`select from job where id = $1 and attempt = $2 and status = 'completed'`, [
    claim.jobId,
    claim.attempt,
  ])
  return rowCount === 1
}
