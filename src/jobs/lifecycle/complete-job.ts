import type { Tx } from '../../db/database.ts'
import { newId } from '../../values/id.ts'
import { notifyJob } from '../live/notify-job.ts'
import { noteEnd } from '../notes/note-end.ts'
import type { Claim } from './claim-job.ts'
import type { FinishedArtifact } from './complete-jobs.ts'
import { type EndingParts, endJob, type Provenance } from './end-job.ts'
import type { BatchParts } from './job-batches.ts'

/**
 * Completes a claimed job and records its artifacts. Returns false where the claim is no longer this worker's: then nothing was
 * written. May be called again when the answer to a commit was lost.
 */
export async function completeJob(
  parts: BatchParts,
  claim: Claim,
  artifacts: readonly FinishedArtifact[],
  provenance: Provenance = {},
): Promise<boolean> {
  if (!claim.delivers) {
    // What is wrong with the batch may be another job: the error that is this one's comes again.
    const completed = await parts.batches.completions.call({ claim, artifacts, provenance }).catch(() => null)
    if (completed !== null) {
      noteEnd(parts, claim, completed)
      notifyJob(parts, claim)
      return true
    }
  }
  return completeAlone(parts, claim, artifacts, provenance)
}

async function completeAlone(
  parts: EndingParts,
  claim: Claim,
  artifacts: readonly FinishedArtifact[],
  provenance: Provenance,
): Promise<boolean> {
  const { jobId, accountId, attempt } = claim
  const completed = await endJob(parts, {
    jobId,
    accountId,
    attempt,
    provenance,
    also: async (tx) => {
      for (const artifact of artifacts) await insertArtifact(tx, claim, artifact, parts.now())
    },
  })
  return completed || isCompleted(parts, claim)
}

async function insertArtifact(tx: Tx, claim: Claim, artifact: FinishedArtifact, now: Date): Promise<void> {
  await tx.query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      newId('art', now),
      claim.jobId,
      artifact.output,
      artifact.storageKey,
      artifact.contentType,
      artifact.bytes,
      artifact.sha256,
      artifact.durationMs,
      artifact.timing ?? null,
      artifact.captions ?? null,
    ],
  )
}

async function isCompleted({ db }: EndingParts, { jobId, attempt }: Claim): Promise<boolean> {
  const { rowCount } = await db.pool.query(`select from job where id = $1 and attempt = $2 and status = 'completed'`, [
    jobId,
    attempt,
  ])
  return rowCount === 1
}
