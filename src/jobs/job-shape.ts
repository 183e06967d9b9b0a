import { JOB_ERRORS, type JobErrorCode, type JobStatus, type JobType } from './job-states.ts'
import { STORED_OUTPUTS, type StoredOutput } from './sign-outputs.ts'

/** A job but for what it was asked to do and why it really failed. Verbs return it; doors choose what they show of it, and sign its URLs. */
export interface Job {
  readonly id: string
  readonly accountId: string
  readonly type: JobType
  /** Its type and slug: `voice.tts`. */
  readonly endpointKey: string
  readonly status: JobStatus
  /** null for jobs that are not moderated, and for those that are not decided yet. */
  readonly isProhibited: boolean | null
  /** Why it was rejected; null unless it was. */
  readonly reason: string | null
  readonly apiKeyId: string | null
  /** null also after the key was deleted. */
  readonly apiKeyName: string | null
  /** The user who submitted it; null where a key did, or the command line. */
  readonly userId: string | null
  readonly createdAt: Date
  /** When a worker first took it. */
  readonly startedAt: Date | null
  readonly completedAt: Date | null
  /** Credits that it costs, charged or not; a bigint as text. */
  readonly cost: string
  /** How often a worker took it. */
  readonly attempt: number
  readonly errorCode: JobErrorCode | null
  /** Chunks of the text that are rendered; null before a worker has cut it up. */
  readonly chunksDone: number | null
  readonly chunksTotal: number | null
  /** Parts of its speech that can be heard already; null where nothing listens to it. */
  readonly partsDone: number | null
  readonly chatId: string | null
  /** As it was submitted: it is the caller's own address, and nothing here could sign it. */
  readonly mediaUrl: string | null
  readonly mediaKind: string | null
  readonly providerJobId: string | null
  readonly gpuExecutionTimeMs: number | null
  /** Of a job that was read alone; null without any. Absent from pages: their artifacts are read together, where they are asked for. */
  readonly storedOutputs?: readonly StoredOutput[] | null
}

/** Property of `Job` to column of `job`. */
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

/** The columns of `job` that a Job is made of. */
export const ROW_COLUMNS: readonly string[] = Object.values(COLUMNS)

/** The columns of a Job on a page, from JOB_TABLES: the rows are Jobs as they are. */
export const PAGE_COLUMNS = [
  ...Object.entries(COLUMNS).map(([name, column]) => (name === column ? `j.${column}` : `j.${column} as "${name}"`)),
  'k.name as "apiKeyName"',
].join(', ')

/** What REST's list shows of a job: reading all of it would cost a page a third more. */
export type JobSummary = Pick<
  Job,
  'id' | 'type' | 'endpointKey' | 'status' | 'isProhibited' | 'apiKeyId' | 'apiKeyName' | 'createdAt' | 'completedAt'
>

/** Those of a job that is read alone: its outputs come with it. */
export const JOB_COLUMNS = `${PAGE_COLUMNS}, ${STORED_OUTPUTS}`

/** Where they come from. */
export const JOB_TABLES = 'job j left join api_key k on k.id = j.api_key_id'

/** How long a job took from its acceptance to its end, in milliseconds: as the list's index has it. */
export const DURATION_MS = '((extract(epoch from (completed_at - created_at)) * 1000)::bigint)'

/** Why a job failed: the value to branch on, and the sentence that its owner reads. */
interface JobError {
  readonly code: JobErrorCode
  readonly message: string
}

/** Null unless the job has failed. */
export function errorOf({ status, errorCode }: Pick<Job, 'status' | 'errorCode'>): JobError | null {
  if (status !== 'failed') return null
  const code = errorCode ?? 'INTERNAL_ERROR'
  return { code, message: JOB_ERRORS[code] ?? JOB_ERRORS.INTERNAL_ERROR }
}
