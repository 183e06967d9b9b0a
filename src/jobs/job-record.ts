import type { Tx } from '../db/database.ts'
import type { SummaryRow, ViewRow } from './job-view.ts'

/** A job's whole row but for what it was asked to do and why it really failed. */
export interface JobRecord extends SummaryRow, Omit<ViewRow, 'artifacts'> {
  started_at: Date | null
  /** Credits charged; a bigint as text. */
  cost: string
  /** How often a worker took it. */
  attempt: number
  chunks_done: number | null
  chunks_total: number | null
  reason: string | null
  provider_job_id: string | null
  gpu_execution_time_ms: number | null
}

/** Of `job` itself. */
export const JOB_COLUMNS = [
  'id',
  'type',
  'endpoint_key',
  'status',
  'is_prohibited',
  'api_key_id',
  'created_at',
  'started_at',
  'completed_at',
  'cost',
  'attempt',
  'error_code',
  'chunks_done',
  'chunks_total',
  'reason',
  'chat_id',
  'media_url',
  'media_kind',
  'provider_job_id',
  'gpu_execution_time_ms',
]

/** The columns of a JobRecord, from `job j left join api_key k on k.id = j.api_key_id`. */
export const RECORD_COLUMNS = [...JOB_COLUMNS.map((column) => `j.${column}`), 'k.name as api_key_name'].join(', ')

/** How long a job took from its acceptance to its end, in milliseconds: as the list's index has it. */
export const DURATION_MS = '((extract(epoch from (completed_at - created_at)) * 1000)::bigint)'

/** The account's jobs with these ids, in no order. */
export async function loadRecords(
  db: Pick<Tx, 'query'>,
  accountId: string,
  ids: readonly string[],
): Promise<JobRecord[]> {
  const { rows } = await db.query<JobRecord>({
    name: 'job_records',
    text: `select ${RECORD_COLUMNS} from job j left join api_key k on k.id = j.api_key_id
           where j.id = any($1) and j.account_id = $2`,
    values: [ids, accountId],
  })
  return rows
}
