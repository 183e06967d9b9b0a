import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { RESPONSE_FIELDS, type ResponseField } from '../context/catalog-snapshot.ts'
import type { Context, Parts } from '../context/context.ts'
import { jobNotFound } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { JOB_ERRORS, type JobErrorCode, type JobStatus } from './job-states.ts'
import type { Progress } from './lifecycle/record-progress.ts'
import { STORED_OUTPUTS, type StoredOutput, signOutputs } from './sign-outputs.ts'

/** What polling a voice job shows. */
export interface VoiceJobView {
  readonly jobId: string
  readonly status: JobStatus
  readonly createdAt: Date
  readonly completedAt: Date | null
  /** Output name to signed URL; completed jobs only. */
  readonly outputs: Readonly<Record<string, string>> | null
  /** Failed jobs only. */
  readonly failure: { readonly code: JobErrorCode; readonly message: string } | null
  /** Chunks of the text that are rendered; null before a worker has cut it up. Not shown by REST. */
  readonly progress: Progress | null
  /** Which of the timestamps the endpoint's contract declares. */
  readonly responseFields: readonly ResponseField[]
}

/** What `VOICE_JOB_COLUMNS` selects. */
export interface VoiceJobRow {
  id: string
  endpoint_key: string
  status: JobStatus
  created_at: Date
  completed_at: Date | null
  error_code: JobErrorCode | null
  chunks_done: number | null
  chunks_total: number | null
  artifacts: StoredOutput[] | null
}

/** Of `job j`. */
export const VOICE_JOB_COLUMNS = `j.id, j.endpoint_key, j.status, j.created_at, j.completed_at, j.error_code,
  j.chunks_done, j.chunks_total, ${STORED_OUTPUTS}`

type ViewParts = Pick<Parts, 'catalog' | 'storage' | 'now'>

/**
 * One voice job of the caller's account; output URLs are signed anew at every read and live 15 minutes.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts and other producers)
 */
export async function voiceJob(ctx: Context, input: { readonly jobId: string }): Promise<VoiceJobView> {
  requireScope(ctx, VOICE_SCOPE)
  const row = await findRow(ctx, input.jobId)
  if (row === null) throw jobNotFound()
  return toVoiceJobView(ctx, row)
}

/** A row as polling and the callback report it: output URLs are signed now. */
export async function toVoiceJobView(parts: ViewParts, row: VoiceJobRow): Promise<VoiceJobView> {
  const slug = row.endpoint_key.slice('voice.'.length)
  const failed = row.status === 'failed'
  const code = row.error_code ?? 'INTERNAL_ERROR'
  return {
    jobId: row.id,
    status: row.status,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    outputs: row.status === 'completed' ? await signOutputs(parts, row.artifacts) : null,
    failure: failed ? { code, message: JOB_ERRORS[code] } : null,
    progress: row.chunks_total === null ? null : { done: row.chunks_done ?? 0, total: row.chunks_total },
    responseFields: parts.catalog.current.endpoints.get(slug)?.responseFields ?? RESPONSE_FIELDS,
  }
}

async function findRow(ctx: Context, jobId: string): Promise<VoiceJobRow | null> {
  if (!isId('job', jobId)) return null
  const accountId = 'accountId' in ctx.actor ? ctx.actor.accountId : null
  const { rows } = await ctx.db.pool.query<VoiceJobRow>({
    name: 'voice_job',
    text: `select ${VOICE_JOB_COLUMNS} from job j where j.id = $1 and j.account_id = $2 and j.type = 'voice'`,
    values: [jobId, accountId],
  })
  return rows[0] ?? null
}
