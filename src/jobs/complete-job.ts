import { type Database, inTransaction } from '../db/database.ts'
import { newId } from '../id.ts'
import type { Claim } from './claim-job.ts'

export interface FinishedArtifact {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: Uint8Array
  readonly durationMs: number
  /** Of how many chunks it was made. */
  readonly chunks: number
}

/**
 * Completes a claimed job and records its artifact, in one transaction. Returns false where the claim is no longer this worker's:
 * then nothing was written. May be called again when the answer to a commit was lost.
 */
export async function completeJob(db: Database, claim: Claim, artifact: FinishedArtifact): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `update job set status = 'completed', completed_at = now(), chunks_done = $3, chunks_total = $3
       where id = $1 and attempt = $2 and status = 'processing'`,
      [claim.jobId, claim.attempt, artifact.chunks],
    )
    if (rowCount !== 1) return alreadyCompleted(tx, claim)
    await tx.query(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        newId('art'),
        claim.jobId,
        artifact.output,
        artifact.storageKey,
        artifact.contentType,
        artifact.bytes,
        artifact.sha256,
        artifact.durationMs,
      ],
    )
    return true
  })
}

async function alreadyCompleted(
  tx: Parameters<Parameters<typeof inTransaction>[1]>[0],
  claim: Claim,
): Promise<boolean> {
  const { rowCount } = await tx.query(`select from job where id = $1 and attempt = $2 and status = 'completed'`, [
    claim.jobId,
    claim.attempt,
  ])
  return rowCount === 1
}
