import type { Parts } from '../context/context.ts'
import { JOB_ERRORS, type JobErrorCode, type JobStatus, type JobType } from './job-states.ts'
import { STORED_OUTPUTS, type StoredOutput, signOutputs } from './sign-outputs.ts'

/** A job as the list shows it. */
export interface JobSummary {
  readonly jobId: string
  readonly type: JobType
  readonly endpointKey: string
  readonly status: JobStatus
  /** null for jobs that are not moderated, and for those that are not decided yet. */
  readonly isProhibited: boolean | null
  readonly apiKeyId: string | null
  /** null also after the key was deleted. */
  readonly apiKeyName: string | null
  readonly createdAt: Date
  readonly completedAt: Date | null
}

/** What a completed job came to: each type fills its own fields. */
export interface JobResult {
  readonly createdAt?: Date
  readonly completedAt?: Date | null
  /** Output name to signed URL. */
  readonly outputs?: Readonly<Record<string, string>>
  readonly endpointSlug?: string
  readonly workflowSlug?: string
  readonly isProhibited?: boolean | null
  readonly chatId?: string | null
  /** As it was submitted: it is the caller's own address, and nothing here could sign it. */
  readonly mediaUrl?: string | null
  readonly mediaKind?: string | null
}

/** A job as a single read shows it. */
export interface JobView extends JobSummary {
  /** Completed jobs only. */
  readonly result: JobResult | null
  /** Failed jobs only. */
  readonly failure: { readonly code: JobErrorCode; readonly message: string } | null
}

export interface SummaryRow {
  id: string
  type: JobType
  endpoint_key: string
  status: JobStatus
  is_prohibited: boolean | null
  api_key_id: string | null
  api_key_name: string | null
  created_at: Date
  completed_at: Date | null
}

export interface ViewRow extends SummaryRow {
  error_code: JobErrorCode | null
  chat_id: string | null
  media_url: string | null
  media_kind: string | null
  artifacts: StoredOutput[] | null
}

/** The columns of a SummaryRow, from `job j left join api_key k on k.id = j.api_key_id`. */
export const SUMMARY_COLUMNS = `j.id, j.type, j.endpoint_key, j.status, j.is_prohibited, j.api_key_id, k.name as api_key_name,
  j.created_at, j.completed_at`

/** The columns of a ViewRow, from the same tables. */
export const VIEW_COLUMNS = `${SUMMARY_COLUMNS}, j.error_code, j.chat_id, j.media_url, j.media_kind, ${STORED_OUTPUTS}`

export const toSummary = (row: SummaryRow): JobSummary => ({
  jobId: row.id,
  type: row.type,
  endpointKey: row.endpoint_key,
  status: row.status,
  isProhibited: row.is_prohibited,
  apiKeyId: row.api_key_id,
  apiKeyName: row.api_key_name,
  createdAt: row.created_at,
  completedAt: row.completed_at,
})

type SigningParts = Pick<Parts, 'storage' | 'now'>

export async function toView(ctx: SigningParts, row: ViewRow): Promise<JobView> {
  const code = row.error_code ?? 'INTERNAL_ERROR'
  return {
    ...toSummary(row),
    result: row.status === 'completed' ? await resultOf(ctx, row) : null,
    failure: row.status === 'failed' ? { code, message: JOB_ERRORS[code] ?? JOB_ERRORS.INTERNAL_ERROR } : null,
  }
}

async function resultOf(ctx: SigningParts, row: ViewRow): Promise<JobResult> {
  switch (row.type) {
    case 'companion_chat':
    case 'companion_retarget':
      return { isProhibited: row.is_prohibited, chatId: row.chat_id }
    case 'companion_media_tag':
      return { isProhibited: row.is_prohibited, mediaUrl: row.media_url, mediaKind: row.media_kind }
    case 'generate':
      return { ...(await rendered(ctx, row)), workflowSlug: slugOf(row) }
    case 'voice':
      return { ...(await rendered(ctx, row)), endpointSlug: slugOf(row) }
  }
}

const rendered = async (ctx: SigningParts, row: ViewRow): Promise<JobResult> => ({
  createdAt: row.created_at,
  completedAt: row.completed_at,
  outputs: await signOutputs(ctx, row.artifacts),
})

/** `voice.<slug>` and `generate.<workflow-slug>`. */
const slugOf = ({ endpoint_key }: ViewRow): string => endpoint_key.slice(endpoint_key.indexOf('.') + 1)
