import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { whoseAccount } from '../../accounts/accounts.ts'
import { ENTRY_ID } from '../../accounts/credit-entries.ts'
import { closeWindow } from '../../db/close-window.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { CSV_COLUMNS, type DescribedField, type FieldName, type FieldType, fieldOf } from '../job-fields.ts'
import { JOB_ERRORS } from '../job-states.ts'
import {
  closeJobWindow,
  conditionsOf,
  type JobsFilter,
  parameterViolations,
  rejectFilterViolations,
  rejectViolations,
} from '../list/jobs-filter.ts'
import { type CsvExport, type ExportContext, exportCsv } from './export-csv.ts'

export const MAX_EXPORTED_JOBS = 500_000
const MAX_WINDOW_MS = 366 * 86_400_000
/** Invisible characters that may stand before a formula. */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]+/gu
/** Blank characters without such a property. */
const BLANK = '\u2800\u{13441}\u{13442}\u{1d159}'
/** `= + - @` and their Unicode variants; a hyphen elsewhere would form a range. */
const SIGNS = '=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\\-'
const RANGES = [
  [0x1, 0xd7ff],
  [0xe000, 0x1ffff],
  [0xe0000, 0xe0fff],
] as const
const CHUNK_CHARACTERS = 8_192
const UNESCAPED: ReadonlySet<FieldType> = new Set(['Int', 'JobType', 'JobStatus', 'JobErrorCode'])

let known: string | undefined
const HEAD = '\ufeffentry_id,kind,amount,balance,job_id,created_at\r\n'

export interface ExportInput extends Window {
  readonly filter?: JobsFilter
  readonly gone?: AbortSignal
}

/** `from` is inclusive, `to` exclusive. */
interface Window {
  readonly from: Date
  readonly to: Date
}

export interface ExportLedgerInput {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Id or name, for the operator only. */
  readonly account?: string | undefined
  readonly gone?: AbortSignal
}

/**
 * The account's jobs of a window as CSV, from one snapshot.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (over 366 days or 500,000 jobs), RATE_LIMITED, UNAVAILABLE
 */
export async function exportJobs(
  ctx: ExportContext,
  { gone, filter = {}, ...window }: ExportInput,
): Promise<CsvExport> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectViolations(parameterViolations(window))
  rejectFilterViolations(filter)
  if (window.to.getTime() - window.from.getTime() > MAX_WINDOW_MS) throw tooLong()
  await closeJobWindow(ctx, accountId, { createdAt: window }, gone)
  const source = { accountId, head: CSV_HEAD, copy: copyWithin(accountId, window, filter) }
  return exportCsv(
    ctx,
    {
      ...source,
      check: async (snapshot) => {
        const [counted] = await snapshot.query<{ exceeds: boolean }>(
          exceedsWithin(accountId, window, filter, MAX_EXPORTED_JOBS),
        )
        if (counted?.exceeds !== false) throw tooMany()
      },
    },
    gone,
  )
}

const tooLong = () =>
  invalidRequest('Export at most 366 days at a time.', [{ path: 'to', message: 'is more than 366 days after from' }])

const tooMany = () =>
  invalidRequest('Export a shorter window: this one holds more than 500,000 jobs.', [
    { path: 'from', message: `holds more than ${MAX_EXPORTED_JOBS} jobs` },
  ])

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const MESSAGES = Object.entries(JOB_ERRORS)
  .map(([code, message]) => `when ${escapeLiteral(code)} then ${escapeLiteral(message)}`)
  .join(' ')

/** SQL that puts an apostrophe before a text that a spreadsheet would run. */
const escapeFormula = (column: string): string =>
  `case when ascii(${column}) between 48 and 57 or ascii(${column}) between 65 and 126 then ${column}
        when ${column} ~ ${formula()} then '''' || ${column} else ${column} end`

const formula = (): string => {
  known ??= escapeLiteral(`^[${unseenRanges()}${BLANK}]*[${SIGNS}\t\r\n]`)
  return known
}

const unseenRanges = (): string =>
  RANGES.flatMap(([first, last]) => [...characters(first, last).matchAll(UNSEEN)])
    .map(([run]) => [...run])
    .map((run) => (run.length < 3 ? run.join('') : `${run[0]}-${run.at(-1)}`))
    .join('')

/** Cells that are no fields. */
const COMPUTED = {
  duration_ms: () => `case when j.completed_at is not null then
    greatest(0, extract(epoch from j.completed_at - j.created_at) * 1000)::bigint end`,
  workflow_slug: () =>
    escapeFormula(`case when j.type = 'generate' then substr(j.endpoint_key, ${'generate.'.length + 1}) end`),
  error: () =>
    `case when j.error_code is not null then case j.error_code ${MESSAGES} else ${escapeLiteral(JOB_ERRORS.INTERNAL_ERROR)} end end`,
} as const

/** A cell is escaped if the text of its field comes from callers. */
function cellOf({ sql, type, isOurs }: DescribedField): string {
  if (type === 'DateTime') return time(sql)
  if (type === 'Boolean') return `case ${sql} when true then 'true' when false then 'false' end`
  return isOurs || UNESCAPED.has(type) ? sql : escapeFormula(sql)
}

const COLUMNS = CSV_COLUMNS.map((name) => {
  if (name in COMPUTED) return { head: name, cell: COMPUTED[name as keyof typeof COMPUTED] }
  const field = fieldOf(name as FieldName)
  return { head: field.wire, cell: () => cellOf(field) }
})

const CSV_HEAD = `\ufeff${COLUMNS.map(({ head }) => head).join(',')}\r\n`

const selected = (): string[] => COLUMNS.map(({ cell }) => cell())

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
const exceedsWithin = (accountId: string, window: Window, filter: JobsFilter, most: number): string =>
  `select case when (select coalesce(sum(jobs), 0) from job_count where account_id = ${escapeLiteral(accountId)}) <= ${most} then false
               else (select count(*) from (select from job where ${within(accountId, window, filter)} limit ${most + 1}) j) > ${most} end as exceeds`

export const copyWithin = (accountId: string, window: Window, filter: JobsFilter = {}): string =>
  `copy (select ${selected().join(', ')}
         from (select * from job where ${within(accountId, window, filter)}) j left join api_key k on k.id = j.api_key_id
         order by j.id) to stdout with (format csv, encoding 'UTF8')`

function characters(first: number, last: number): string {
  const parts: string[] = []
  for (let start = first; start <= last; start += CHUNK_CHARACTERS) {
    const length = Math.min(CHUNK_CHARACTERS, last - start + 1)
    parts.push(String.fromCodePoint(...Array.from({ length }, (_nothing, at) => start + at)))
  }
  return parts.join('')
}

/**
 * A ledger as CSV, oldest first, each entry with its balance.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED, UNAVAILABLE
 */
export async function exportLedger(
  ctx: ExportContext,
  { account, gone, ...window }: ExportLedgerInput,
): Promise<CsvExport> {
  const accountId = await whoseAccount(ctx, account)
  rejectViolations(parameterViolations(window))
  await closeWindow(ctx, 'credit_entry', window.to, { gone })
  return exportCsv(ctx, { accountId, head: HEAD, copy: copyOf(accountId, window) }, gone)
}

/** The sum includes entries before the window. Releases up to 0.1.0 date a carried balance on its month's first day, whatever its id. */
function copyOf(accountId: string, { from, to }: Pick<ExportLedgerInput, 'from' | 'to'>): string {
  const within = [
    'true',
    ...(from ? [`created_at >= ${escapeLiteral(from.toISOString())}`] : []),
    ...(to ? [`created_at < ${escapeLiteral(to.toISOString())}`] : []),
  ]
  return `copy (select ${ENTRY_ID}, kind, amount, balance, job_id,
                  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
                from (select *, sum(amount) over (order by created_at, id) as balance from credit_entry
                      where account_id = ${escapeLiteral(accountId)}) e
                where ${within.join(' and ')} order by created_at, id) to stdout with (format csv, encoding 'UTF8')`
}
