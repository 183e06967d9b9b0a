import { escapeLiteral } from 'pg'
import { JOB_ERRORS } from '../job-states.ts'
import { conditionsOf } from '../list/filter-conditions.ts'
import type { JobsFilter } from '../list/jobs-filter.ts'
import { escapeFormula } from './csv-formula.ts'

/** `from` is inclusive, `to` exclusive. */
export interface Window {
  readonly from: Date
  readonly to: Date
}

const text = (column: string) => () => escapeFormula(column)

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const MESSAGES = Object.entries(JOB_ERRORS)
  .map(([code, message]) => `when ${escapeLiteral(code)} then ${escapeLiteral(message)}`)
  .join(' ')

/** In published order. The column decides whether a cell is escaped, not its text. */
const COLUMNS: Readonly<Record<string, string | (() => string)>> = {
  job_id: 'j.id',
  type: 'j.type',
  endpoint_key: 'j.endpoint_key',
  status: 'j.status',
  is_prohibited: `case j.is_prohibited when true then 'true' when false then 'false' end`,
  created_at: time('j.created_at'),
  completed_at: time('j.completed_at'),
  duration_ms: `case when j.completed_at is not null then
    greatest(0, extract(epoch from j.completed_at - j.created_at) * 1000)::bigint end`,
  reason: text('j.reason'),
  chat_id: text('j.chat_id'),
  media_url: text('j.media_url'),
  media_kind: text('j.media_kind'),
  workflow_slug: text(`case when j.type = 'generate' then substr(j.endpoint_key, ${'generate.'.length + 1}) end`),
  provider_job_id: text('j.provider_job_id'),
  gpu_execution_time_ms: 'j.gpu_execution_time_ms',
  error_code: 'j.error_code',
  error: `case when j.error_code is not null then case j.error_code ${MESSAGES} else ${escapeLiteral(JOB_ERRORS.INTERNAL_ERROR)} end end`,
  api_key_id: 'j.api_key_id',
  api_key_name: text('k.name'),
}

export const CSV_HEAD = `\ufeff${Object.keys(COLUMNS).join(',')}\r\n`

const selected = (): string[] =>
  Object.values(COLUMNS).map((column) => (typeof column === 'string' ? column : column()))

/** COPY takes no parameters. */
const within = (accountId: string, { from, to }: Window, filter: JobsFilter): string =>
  [
    `account_id = ${escapeLiteral(accountId)}`,
    ...conditionsOf({ createdAt: { from, to }, and: [filter] }, literal),
  ].join(' and ')

const literal = (value: unknown): string =>
  Array.isArray(value)
    ? `array[${value.map(literal).join(', ')}]`
    : escapeLiteral(value instanceof Date ? value.toISOString() : String(value))

/** Counts at most one job too many. */
export const exceedsWithin = (accountId: string, window: Window, filter: JobsFilter, most: number): string =>
  `select case when (select coalesce(sum(jobs), 0) from job_count where account_id = ${escapeLiteral(accountId)}) <= ${most} then false
               else (select count(*) from (select from job where ${within(accountId, window, filter)} limit ${most + 1}) j) > ${most} end as exceeds`

export const copyWithin = (accountId: string, window: Window, filter: JobsFilter = {}): string =>
  `copy (select ${selected().join(', ')}
         from (select * from job where ${within(accountId, window, filter)}) j left join api_key k on k.id = j.api_key_id
         order by j.id) to stdout with (format csv, encoding 'UTF8')`
