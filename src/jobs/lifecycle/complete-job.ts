import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Tx } from '../../db/database.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import { newId } from '../../values/id.ts'
import { notifyJob } from '../live/notify-job.ts'
import { announceLostEnd } from '../notes/announce-lost-end.ts'
import { type EndedJob, noteEnd } from '../notes/note-end.ts'
import type { Claim } from './claim-job.ts'
import { completing, completionValues, endJob } from './end-job.ts'
import type { BatchParts } from './job-batches.ts'
import type { Completion, EndingParts, FinishedArtifact, OwnEnd, Provenance } from './job-end.ts'

type Completed = 'completed' | 'settled'

/**
 * Completes a claimed job with its artifacts. It is safe to repeat after a lost answer.
 * @param row deleted with the completion, unless that is written alone
 * @returns null if the claim is lost; nothing was written then
 */
export async function completeJob(
  parts: BatchParts,
  claim: Claim,
  artifacts: readonly FinishedArtifact[],
  provenance: Provenance = {},
  row?: QueueRow,
): Promise<Completed | null> {
  const completion = { claim, artifacts, provenance, row }
  const completed = await (claim.delivers
    ? completeDelivered(parts, claim, completion)
    : parts.batches.completions.call(completion)
  ).catch((error: Error) => {
    // Another job may have failed the batch; this job's own error comes again.
    parts.log.debug({ jobId: claim.jobId, err: error.message }, 'a completion is written alone')
    return null
  })
  if (completed === null) return (await completeAlone(parts, claim, artifacts, provenance)) ? 'completed' : null
  noteEnd(parts, claim, completed)
  notifyJob(parts, claim)
  return row === undefined ? 'completed' : 'settled'
}

const completingWith: OwnEnd['with'] = (deliveryIds, at) => `${completing(at)}, chosen as (
  select id, job_id from unnest(${deliveryIds}::text[], ${at(1)}::text[], ${at(2)}::int[]) as made (id, job_id, attempt)
  where (job_id, attempt) in (select ended.id, ended.attempt from ended)
)`

async function completeDelivered(
  { deliveries, now }: EndingParts,
  { accountId, jobId }: Claim,
  completion: Completion,
): Promise<EndedJob | null> {
  // The statement takes arrays of one length, so each job has one output.
  if (completion.artifacts.length !== 1) return null
  const written = await deliveries.createWithEnd(
    { accountId, jobId },
    {
      outputs: completion.artifacts,
      with: completingWith,
      values: (delivered) => completionValues([{ ...completion, delivered }], now()),
    },
  )
  if (written === null) return null
  written.made.committed()
  // Lets the delivery start first.
  await nextTurn()
  return written.ended
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
  return completed || announceLostEnd(parts, claim)
}

async function insertArtifact(tx: Tx, claim: Claim, artifact: FinishedArtifact, now: Date): Promise<void> {
  await tx.query({
    name: 'insert_artifact',
    text: `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
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
  })
}
