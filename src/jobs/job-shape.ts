import type { AudioFormat, CaptionFormat } from '../audio/format.ts'
import { JOB_ERRORS, type JobErrorCode, type JobStatus, type JobType } from './job-states.ts'
import { STORED_OUTPUTS, type StoredOutput } from './sign-outputs.ts'

const COLUMNS = {
  id: 'id',
  accountId: 'account_id',
  type: 'type',
  endpointKey: 'endpoint_key',
  status: 'status',
  isProhibited: 'is_prohibited',
  reason: 'reason',
  apiKeyId: 'api_key_id',
  userId: 'user_id',
  createdAt: 'created_at',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  cost: 'cost',
  attempt: 'attempt',
  errorCode: 'error_code',
  chunksDone: 'chunks_done',
  chunksTotal: 'chunks_total',
  partsDone: 'parts_done',
  chatId: 'chat_id',
  mediaUrl: 'media_url',
  mediaKind: 'media_kind',
  providerJobId: 'provider_job_id',
  gpuExecutionTimeMs: 'gpu_execution_time_ms',
} as const satisfies Record<Exclude<keyof Job, 'apiKeyName' | 'storedOutputs'>, string>

export const ROW_COLUMNS: readonly string[] = Object.values(COLUMNS)

export const PAGE_COLUMNS = [
  ...Object.entries(COLUMNS).map(([name, column]) => (name === column ? `j.${column}` : `j.${column} as "${name}"`)),
  'k.name as "apiKeyName"',
].join(', ')

export const JOB_COLUMNS = `${PAGE_COLUMNS}, ${STORED_OUTPUTS}`

export const JOB_TABLES = 'job j left join api_key k on k.id = j.api_key_id'

/** Milliseconds; an index has the same expression. */
export const DURATION_MS = '((extract(epoch from (completed_at - created_at)) * 1000)::bigint)'
/** `greatest` keeps a job's times in order if the database's clock is set back. */
export const STARTED_AT = 'greatest(now(), created_at)'
export const ENDED_AT = 'greatest(now(), started_at, created_at)'

/** A job without inputs and internal cause; REST and GraphQL choose what callers see. */
export interface Job {
  readonly id: string
  readonly accountId: string
  readonly type: JobType
  readonly endpointKey: string
  readonly status: JobStatus
  /** Null if not moderated or not decided. */
  readonly isProhibited: boolean | null
  readonly reason: string | null
  readonly apiKeyId: string | null
  /** Null also after the key was deleted. */
  readonly apiKeyName: string | null
  readonly userId: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly completedAt: Date | null
  /** Credits, charged or not; a bigint as text. */
  readonly cost: string
  readonly attempt: number
  readonly errorCode: JobErrorCode | null
  /** Null before a worker has split the text. */
  readonly chunksDone: number | null
  readonly chunksTotal: number | null
  /** Null without live playback. */
  readonly partsDone: number | null
  readonly chatId: string | null
  readonly mediaUrl: string | null
  readonly mediaKind: string | null
  readonly providerJobId: string | null
  readonly gpuExecutionTimeMs: number | null
  /** Absent on pages, which load artifacts separately. */
  readonly storedOutputs?: readonly StoredOutput[] | null
}

export type JobSummary = Pick<
  Job,
  'id' | 'type' | 'endpointKey' | 'status' | 'isProhibited' | 'apiKeyId' | 'apiKeyName' | 'createdAt' | 'completedAt'
>

interface JobError {
  readonly code: JobErrorCode
  readonly message: string
}

/** Options of a voice job. Callers never see them; the Idempotency-Key covers them. */
export interface JobOptions {
  readonly format?: AudioFormat
  readonly captions?: readonly CaptionFormat[]
  /** 1 is the voice's own pace; an input `speed` takes precedence. */
  readonly speed?: number
  readonly seed?: number
  readonly markup?: 'pauses' | 'ssml'
  readonly live?: true
}

export function errorOf({ status, errorCode }: Pick<Job, 'status' | 'errorCode'>): JobError | null {
  if (status !== 'failed') return null
  const code = errorCode ?? 'INTERNAL_ERROR'
  return { code, message: JOB_ERRORS[code] ?? JOB_ERRORS.INTERNAL_ERROR }
}

/** Null if no option is present. */
export function storedOptions(
  options: { readonly [Name in keyof JobOptions]?: JobOptions[Name] | undefined | null },
): JobOptions | null {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0 ? null : (Object.fromEntries(given) as JobOptions)
}
