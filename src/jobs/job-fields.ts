import type { JobType } from '../catalog/job-kinds.ts'
import type { JobErrorCode, JobStatus } from './job-states.ts'

/** Every column of a job that its owner may see. SQL, REST, CSV and GraphQL derive from this table. */
export const JOB_FIELDS = {
  id: { column: 'id', wire: 'job_id', type: 'ID', isOurs: true, graphql: { Job: 'The job id.' } },
  accountId: { column: 'account_id', type: 'ID' },
  type: { column: 'type', type: 'JobType', graphql: { Job: 'Its type.' } },
  endpointKey: {
    column: 'endpoint_key',
    type: 'String',
    isOurs: true,
    graphql: { Job: 'Its type and slug: `voice.tts`.' },
  },
  status: { column: 'status', type: 'JobStatus', graphql: { Job: 'Its status.' } },
  isProhibited: {
    column: 'is_prohibited',
    type: 'Boolean?',
    graphql: { Job: 'The verdict. Null for jobs that are not moderated, and until it is decided.' },
  },
  reason: {
    column: 'reason',
    type: 'String?',
    graphql: {
      CompanionChatJob: 'Why it was rejected; null unless it was.',
      CompanionRetargetJob: 'Why it was rejected; null unless it was.',
      CompanionMediaTagJob: 'Why it was rejected; null unless it was.',
    },
  },
  apiKeyId: {
    column: 'api_key_id',
    type: 'ID?',
    isOurs: true,
    graphql: { Job: 'The key that it was submitted with.' },
  },
  apiKeyName: {
    table: 'k',
    column: 'name',
    wire: 'api_key_name',
    type: 'String?',
    graphql: { Job: 'Null after that key is deleted.' },
  },
  userId: { column: 'user_id', type: 'ID?' },
  createdAt: { column: 'created_at', type: 'DateTime', graphql: { Job: 'When it was accepted.' } },
  startedAt: { column: 'started_at', type: 'DateTime?', graphql: { Job: 'When a worker first took it; null before.' } },
  completedAt: { column: 'completed_at', type: 'DateTime?', graphql: { Job: 'When it finished; null before.' } },
  /** Credits, charged or not; a bigint as text. */
  cost: { column: 'cost', type: 'String' },
  attempt: { column: 'attempt', type: 'Int' },
  errorCode: { column: 'error_code', type: 'JobErrorCode?' },
  /** Null before a worker has split the text. */
  chunksDone: { column: 'chunks_done', type: 'Int?' },
  chunksTotal: {
    column: 'chunks_total',
    type: 'Int?',
    graphql: { VoiceJob: 'Into how many chunks the text was cut.' },
  },
  /** Null without live playback. */
  partsDone: { column: 'parts_done', type: 'Int?' },
  chatId: {
    column: 'chat_id',
    type: 'ID?',
    graphql: {
      CompanionChatJob: 'The chat that it belongs to.',
      CompanionRetargetJob: 'The chat that it belongs to.',
    },
  },
  mediaUrl: {
    column: 'media_url',
    type: 'URL?',
    graphql: { CompanionMediaTagJob: 'The URL as it was submitted.' },
  },
  mediaKind: { column: 'media_kind', type: 'MediaKind?', graphql: { CompanionMediaTagJob: 'The kind of medium.' } },
  providerJobId: {
    column: 'provider_job_id',
    type: 'String?',
    graphql: { GenerationJob: "The server's own id of it." },
  },
  gpuExecutionTimeMs: {
    column: 'gpu_execution_time_ms',
    type: 'Int?',
    graphql: { GenerationJob: 'GPU time in milliseconds, as the server reports it.' },
  },
  /** Null for jobs from before the column, too. */
  voice: { column: 'voice', type: 'String?' },
  language: {
    column: 'language',
    type: 'String?',
    graphql: {
      VoiceJob:
        'The language that the request named, else that of its voice, else the detected one. Null if it is not known.',
    },
  },
  tags: { column: 'tags', type: 'Strings?' },
} as const satisfies Record<string, Field>

/** Fields of each job in REST, in their published order: a new one goes to the end. */
export const REST_FIELDS = [
  'id',
  'type',
  'endpointKey',
  'status',
  'isProhibited',
  'apiKeyId',
  'apiKeyName',
  'createdAt',
  'completedAt',
] as const satisfies readonly FieldName[]

/** Columns of the CSV, in their published order: a new one goes to the end. The export computes those that are no fields. */
export const CSV_COLUMNS: readonly (FieldName | 'duration_ms' | 'workflow_slug' | 'error')[] = [
  'id',
  'type',
  'endpointKey',
  'status',
  'isProhibited',
  'createdAt',
  'completedAt',
  'duration_ms',
  'reason',
  'chatId',
  'mediaUrl',
  'mediaKind',
  'workflow_slug',
  'providerJobId',
  'gpuExecutionTimeMs',
  'errorCode',
  'error',
  'apiKeyId',
  'apiKeyName',
]

/** TypeScript's types by GraphQL's. */
interface Values {
  readonly ID: string
  readonly String: string
  readonly Int: number
  readonly Boolean: boolean
  readonly DateTime: Date
  readonly URL: string
  readonly JobType: JobType
  readonly JobStatus: JobStatus
  readonly JobErrorCode: JobErrorCode
  readonly MediaKind: string
  readonly Strings: readonly string[]
}

export type FieldType = keyof Values

interface Field {
  /** `k`: the key that the job was submitted with. */
  readonly table?: 'k'
  readonly column: string
  /** In REST and CSV; the column unless given. */
  readonly wire?: string
  /** A question mark: may be null. */
  readonly type: FieldType | `${FieldType}?`
  /** Sonant makes the text itself, so the CSV does not escape it. */
  readonly isOurs?: true
  /** Descriptions by the GraphQL types that have the field as it is. */
  readonly graphql?: Readonly<Record<string, string>>
}

export type FieldName = keyof typeof JOB_FIELDS

type ValueOf<Type> = Type extends FieldType
  ? Values[Type]
  : Type extends `${infer Present extends FieldType}?`
    ? Values[Present] | null
    : never

export type JobFields = { readonly [Name in FieldName]: ValueOf<(typeof JOB_FIELDS)[Name]['type']> }

export type DescribedField = ReturnType<typeof fieldOf>

/** `sql` is over `job j` and `api_key k`. */
export function fieldOf(name: FieldName) {
  const { table, column, wire = column, type, isOurs, graphql = {} }: Field = JOB_FIELDS[name]
  const present = type.replace('?', '') as FieldType
  const sql = `${table ?? 'j'}.${column}`
  return { name, sql, wire, type: present, isNullable: type !== present, isOurs: isOurs === true, graphql }
}

export const FIELD_NAMES = Object.keys(JOB_FIELDS) as readonly FieldName[]
