import type { CaptionFormat } from '../../audio/caption-format.ts'
import { BATCH_WAIT, limitingLockWaits } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import { dequeueJoined } from '../../queue/pgboss/dequeue.ts'
import { newId } from '../../values/id.ts'
import { statesBefore } from '../job-states.ts'
import { ENDED_AT } from '../job-times.ts'
import { type EndedJob, endedColumns } from '../notes/note-end.ts'
import type { Provenance } from './end-job.ts'

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
}

/**
 * Each job is fenced by its own attempt, and its row in the queue by its delivery; its files as well, since an older attempt may end in the
 * same batch. One whose end must be delivered stays as it is: that takes a transaction of its own.
 */
const COMPLETE = `
with done as materialized (
  select * from unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::int[], $17::text[], $18::uuid[], $19::int[])
    as done (id, attempt, chunks, provider, gpu_ms, queue, delivery, retry_count)
  where ${limitingLockWaits('$20')}
), ended as (
  update job j set status = 'completed', completed_at = ${ENDED_AT}, error_code = null, cause = null,
    chunks_done = coalesce(done.chunks, j.chunks_done), chunks_total = coalesce(done.chunks, j.chunks_total),
    provider_job_id = coalesce(done.provider, j.provider_job_id),
    gpu_execution_time_ms = case when done.provider is null then j.gpu_execution_time_ms else done.gpu_ms end
  from done
  where j.id = any($1::text[]) and j.id = done.id and j.attempt = done.attempt and j.status = any($6::job_status[])
    and j.type in ('voice', 'generate') and coalesce(j.webhook_url, (select a.webhook_url from account a where a.id = j.account_id)) is null
  returning j.id, ${endedColumns('j')}
), stored as (
  insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions)
  select id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, string_to_array(captions, ',') from unnest($7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::bytea[], $14::int[], $15::bytea[], $16::text[], $21::int[])
    as file (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions, attempt)
  where (job_id, attempt) in (select ended.id, ended.attempt from ended)
), dequeued as (${dequeueJoined('$18', '(done.id, done.attempt) in (select ended.id, ended.attempt from ended)')}
)
select * from ended`

const COMPLETABLE = statesBefore('completed')

/** Completes those of the jobs whose claims stand and whose ends no receiver waits for, with their artifacts. Returns those; null for the others. */
export async function completeJobs(db: Database, done: readonly Completion[], now: Date): Promise<(EndedJob | null)[]> {
  const files = done.flatMap(({ claim, artifacts }) => artifacts.map((file) => ({ ...file, ...claim })))
  const values = [
    done.map(({ claim }) => claim.jobId),
    done.map(({ claim }) => claim.attempt),
    done.map(({ provenance }) => provenance.chunks ?? null),
    done.map(({ provenance }) => provenance.providerJobId ?? null),
    done.map(({ provenance }) => provenance.gpuExecutionTimeMs ?? null),
    COMPLETABLE,
    files.map(() => newId('art', now)),
    files.map(({ jobId }) => jobId),
    files.map(({ output }) => output),
    files.map(({ storageKey }) => storageKey),
    files.map(({ contentType }) => contentType),
    files.map(({ bytes }) => bytes),
    files.map(({ sha256 }) => Buffer.from(sha256)),
    files.map(({ durationMs }) => durationMs),
    files.map(({ timing }) => (timing === undefined ? null : Buffer.from(timing))),
    files.map(({ captions }) => captions?.join(',') ?? null),
    done.map(({ row }) => row?.queue ?? null),
    done.map(({ row }) => row?.id ?? null),
    done.map(({ row }) => row?.retryCount ?? null),
    BATCH_WAIT,
    files.map(({ attempt }) => attempt),
  ]
  const { rows } = await db.pool.query<EndedJob & { readonly id: string }>({
    name: 'complete_jobs',
    text: COMPLETE,
    values,
  })
  const ended = new Map(rows.map((row) => [row.id, row]))
  return done.map(({ claim }) => {
    const row = ended.get(claim.jobId)
    return row?.attempt === claim.attempt ? row : null
  })
}
