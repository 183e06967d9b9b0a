import type { JobType } from '../catalog/job-kinds.ts'
import type { JobErrorCode, JobStatus } from './job-states.ts'

/** Every column of a job that its owner may see. SQL, REST, CSV and GraphQL derive from this table. */
export const JOB_FIELDS = {
  id: { column: 'id', wire: 'job_id', type: 'ID', isOurs: true, graphql: { Job: 'Id of the job.' } },
  accountId: { column: 'account_id', type: 'ID' },
  type: { column: 'type', type: 'JobType', graphql: { Job: 'Type of the job.' } },
  endpointKey: {
    column: 'endpoint_key',
    type: 'String',
    isOurs: true,
    graphql: { Job: 'Key of the endpoint or workflow that performs the job, such as `voice.tts`.' },
  },
  status: { column: 'status', type: 'JobStatus', graphql: { Job: 'Status of the job.' } },
  isProhibited: {
    column: 'is_prohibited',
    type: 'Boolean?',
    graphql: {
      Job: 'True if moderation rejected the content. Null for jobs that are not moderated, and until the verdict.',
    },
  },
  reason: {
    column: 'reason',
    type: 'String?',
    graphql: {
      CompanionChatJob: 'Reason why moderation rejected the content; null if it did not.',
      CompanionRetargetJob: 'Reason why moderation rejected the content; null if it did not.',
      CompanionMediaTagJob: 'Reason why moderation rejected the content; null if it did not.',
    },
  },
  apiKeyId: {
    column: 'api_key_id',
    type: 'ID?',
    isOurs: true,
    graphql: { Job: 'Id of the API key that submitted the job; null if a user or the command line did.' },
  },
  apiKeyName: {
    table: 'k',
    column: 'name',
    wire: 'api_key_name',
    type: 'String?',
    graphql: { Job: 'Name of the API key that submitted the job; null without one, and after it is deleted.' },
  },
  userId: { column: 'user_id', type: 'ID?' },
  createdAt: { column: 'created_at', type: 'DateTime', graphql: { Job: 'Time when the job was accepted.' } },
  startedAt: {
    column: 'started_at',
    type: 'DateTime?',
    graphql: { Job: 'Time when a worker first took the job; null before.' },
  },
  completedAt: { column: 'completed_at', type: 'DateTime?', graphql: { Job: 'Time when the job ended; null before.' } },
  /** Credits, charged or not; a bigint as text. */
  cost: { column: 'cost', type: 'String' },
  attempt: { column: 'attempt', type: 'Int' },
  errorCode: { column: 'error_code', type: 'JobErrorCode?' },
  /** Null before a worker has split the text. */
  chunksDone: { column: 'chunks_done', type: 'Int?' },
  chunksTotal: {
    column: 'chunks_total',
    type: 'Int?',
    graphql: { VoiceJob: 'Number of chunks into which the text was split; null before a worker has split it.' },
  },
  /** The attempt whose engine loads the model of the voice; an earlier one says nothing. */
  loadingAttempt: { column: 'loading_attempt', type: 'Int?' },
  /** Null without live playback. */
  partsDone: { column: 'parts_done', type: 'Int?' },
  chatId: {
    column: 'chat_id',
    type: 'ID?',
    graphql: {
      CompanionChatJob: 'Id of the chat that the job belongs to.',
      CompanionRetargetJob: 'Id of the chat that the job belongs to.',
    },
  },
  mediaUrl: {
    column: 'media_url',
    type: 'URL?',
    isContent: true,
    graphql: { CompanionMediaTagJob: 'URL of the medium, as it was submitted; null for callers of other accounts.' },
  },
  mediaKind: { column: 'media_kind', type: 'MediaKind?', graphql: { CompanionMediaTagJob: 'Kind of the medium.' } },
  providerJobId: {
    column: 'provider_job_id',
    type: 'String?',
    graphql: { GenerationJob: "Id that the workflow's server gave the job." },
  },
  gpuExecutionTimeMs: {
    column: 'gpu_execution_time_ms',
    type: 'Int?',
    graphql: { GenerationJob: "GPU time of the job in milliseconds, as the workflow's server reports it." },
  },
  /** Null for jobs from before the column, too. */
  voice: { column: 'voice', type: 'String?' },
  language: {
    column: 'language',
    type: 'String?',
    graphql: {
      VoiceJob:
        'Language that the request named, else the language of the voice, else the detected one. Null if it is not known.',
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
  /** It says what the job is about: operators of other accounts do not see it. */
  readonly isContent?: true
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
  const { table, column, wire = column, type, isOurs, isContent, graphql = {} }: Field = JOB_FIELDS[name]
  const present = type.replace('?', '') as FieldType
  const sql = `${table ?? 'j'}.${column}`
  const flags = { isNullable: type !== present, isOurs: isOurs === true, isContent: isContent === true }
  return { name, sql, wire, type: present, ...flags, graphql }
}

export const FIELD_NAMES = Object.keys(JOB_FIELDS) as readonly FieldName[]
