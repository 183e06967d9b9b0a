import type { WebhookDeliveryState } from '../../prisma/generated/prisma/enums.ts'
import type { AnyFormat, CaptionFormat } from '../audio/format.ts'
import { FIELD_NAMES, fieldOf, type JobFields, type REST_FIELDS } from './job-fields.ts'
import { JOB_ERRORS, type JobErrorCode } from './job-states.ts'
import { STORED_OUTPUTS, type StoredOutput } from './sign-outputs.ts'

const FIELDS = FIELD_NAMES.map(fieldOf)

/** Columns of `job` itself. */
export const ROW_COLUMNS: readonly string[] = FIELDS.flatMap(({ sql }) =>
  sql.startsWith('j.') ? [sql.slice('j.'.length)] : [],
)

export const PAGE_COLUMNS = FIELDS.map(({ name, sql }) => `${sql} as "${name}"`).join(', ')

export const JOB_COLUMNS = `${PAGE_COLUMNS}, ${STORED_OUTPUTS}`

export const JOB_TABLES = 'job j left join api_key k on k.id = j.api_key_id'

/** Milliseconds; an index has the same expression. */
export const DURATION_MS = '((extract(epoch from (completed_at - created_at)) * 1000)::bigint)'
/** Milliseconds. */
export const WAIT_MS = '((extract(epoch from (started_at - created_at)) * 1000)::bigint)'
/** `greatest` keeps a job's times in order if the database's clock is set back. */
export const STARTED_AT = 'greatest(now(), created_at)'
export const ENDED_AT = 'greatest(now(), started_at, created_at)'

/** A job without inputs and internal cause; REST and GraphQL choose what callers see. */
export interface Job extends JobFields {
  /** Absent on pages, which load artifacts separately. */
  readonly storedOutputs?: readonly StoredOutput[] | null
  /** States of its deliveries, if they were read. */
  readonly deliveryStates?: readonly WebhookDeliveryState[]
}

/** The first sentence of the attempt waits for the model of the voice. */
export const isVoiceLoading = ({
  status,
  attempt,
  loadingAttempt,
}: Pick<Job, 'status' | 'attempt' | 'loadingAttempt'>) => status === 'processing' && loadingAttempt === attempt

export type JobSummary = Pick<Job, (typeof REST_FIELDS)[number]>

interface JobError {
  readonly code: JobErrorCode
  readonly message: string
}

/** Options of a job. Callers never see them; the Idempotency-Key covers them. */
export interface JobOptions {
  readonly format?: AnyFormat
  readonly captions?: readonly CaptionFormat[]
  /** 1 is the voice's own pace; an input `speed` takes precedence. */
  readonly speed?: number
  readonly seed?: number
  readonly markup?: 'pauses' | 'ssml' | 'markdown'
  /** Absent: blocks of code of Markdown are read. */
  readonly code?: 'skip'
  readonly live?: true
  /** Ends, in UTF-16 units, of the pieces of a text that comes while it is spoken. Each piece is read and spoken by itself. */
  readonly pieces?: readonly number[]
  /** More text may come. */
  readonly open?: true
  /** A worker has spoken all of the text: nothing of it can be cut any more. */
  readonly sealed?: true
  /** Absent: as the endpoint says. */
  readonly textNormalization?: 'on' | 'off'
  /** Absent: interactive if `live`, else batch. */
  readonly priority?: JobPriority
}

export type JobPriority = 'interactive' | 'batch'

/** True if a caller waits for the job, so that it waits for no batch job. */
export const isAwaited = ({ priority, live }: Pick<JobOptions, 'priority' | 'live'>): boolean =>
  priority === undefined ? live === true : priority === 'interactive'

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
