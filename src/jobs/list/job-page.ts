import type { QueryResultRow } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { type Database, parseDatabaseTimestamp } from '../../db/database.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { statementName } from '../../db/sql.ts'
import type { Detail } from '../../errors/service-error.ts'
import { type FieldType, fieldOf, REST_FIELDS } from '../job-fields.ts'
import { type Job, type JobSummary, PAGE_COLUMNS } from '../job-shape.ts'
import type { JobStatus } from '../job-states.ts'
import { totalOf } from './jobs.ts'
import {
  closeJobWindow,
  conditionsOf,
  type FilterParameters,
  isCounted,
  type JobsFilter,
  oneOf,
  parameterViolations,
  rejectViolations,
  toJobsFilter,
} from './jobs-filter.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
const MAX_OFFSET = 2_147_483_647
const PREPARED_LIMITS: ReadonlySet<number> = new Set([50, 100])

const MAX_SHORT_OFFSET = 1_000
const MAX_FEW = 5_000
const FEW_MS = 2 * 24 * 3_600_000
const FIELD = '\t'
const LINE = '\n'

export interface JobPageInput {
  /** 1 to 100; 50 if absent. */
  readonly limit?: number | null | undefined
  readonly offset?: number | null | undefined
  readonly filter?: FilterParameters | null | undefined
  readonly whole?: boolean
}

export interface JobPage<Entry extends JobSummary = JobSummary> {
  readonly jobs: readonly Entry[]
  readonly total: number
  readonly limit: number
  readonly offset: number
}

type WholeRow = { total: string } & (Job | { id: null })

interface SummaryRow {
  readonly total: string
  readonly lines: string | null
}

export interface PageQuery {
  readonly page: string
  /** Exact up to `countsTo`. */
  readonly total: string
  readonly countsTo: number
  readonly values: readonly unknown[]
  readonly isCommon: boolean
  readonly isLong: boolean
}

/**
 * The account's jobs, newest first. Page and total come from one snapshot.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobPage(ctx: Context, input: JobPageInput & { readonly whole: true }): Promise<JobPage<Job>>
export async function jobPage(ctx: Context, input: JobPageInput): Promise<JobPage>
export async function jobPage(ctx: Context, input: JobPageInput): Promise<JobPage> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { limit, offset, filter } = { ...input, limit: input.limit ?? DEFAULT_LIMIT, offset: input.offset ?? 0 }
  rejectViolations([
    ...rangeViolations('limit', limit, 1, MAX_LIMIT),
    ...rangeViolations('offset', offset, 0, MAX_OFFSET),
    ...parameterViolations(filter ?? {}),
  ])
  const meant = toJobsFilter(filter ?? {})
  await closeJobWindow(ctx, accountId, meant)
  const queries = pageQueries(accountId, meant, { limit, offset, now: ctx.now() })
  if (input.whole === true) {
    const rows = await readPage<WholeRow>(ctx.db, accountId, queries, wholeText)
    const jobs = rows.filter((row): row is WholeRow & Job => row.id !== null)
    return { jobs, total: Number(rows[0]?.total ?? 0), limit, offset }
  }
  const [row] = await readPage<SummaryRow>(ctx.db, accountId, queries, summaryText)
  return { jobs: readSummaries(row?.lines ?? null), total: Number(row?.total ?? 0), limit, offset }
}

function rangeViolations(path: string, value: number, min: number, max: number): Detail[] {
  const fits = Number.isInteger(value) && value >= min && value <= max
  return fits ? [] : [{ path, message: `must be a whole number from ${min} to ${max}` }]
}

const wholeText = ({ page, total }: PageQuery): string => `
  select t.total, p.* from (select ${total} as total) t left join lateral (
    select ${PAGE_COLUMNS} from ${page} j left join api_key k on k.id = j.api_key_id
  ) p on true order by p.id desc`

const summaryText = ({ page, total }: PageQuery): string => `select ${total} as total, ${summaryLines(page)} as lines`

async function readPage<Row extends QueryResultRow & { readonly total: string }>(
  db: Database,
  accountId: string,
  queries: readonly PageQuery[],
  textOf: (query: PageQuery) => string,
): Promise<Row[]> {
  for (const query of queries) {
    const { values, isCommon, isLong, countsTo } = query
    const text = textOf(query)
    const statement = { text, values: [...values], ...(isCommon && { name: statementName('job_page', text) }) }
    const { rows } = await (isLong ? longRead<Row>(db, accountId, statement) : db.pool.query<Row>(statement))
    if (Number(rows[0]?.total ?? 0) <= countsTo) return rows
  }
  return []
}

/** Queries to try in order, until a total is at most `countsTo`. */
export function pageQueries(
  accountId: string,
  filter: JobsFilter,
  { limit, offset, now }: { readonly limit: number; readonly offset: number; readonly now: Date },
): PageQuery[] {
  const whole = toPageQuery(accountId, filter, limit, offset)
  const mayBeFew = isRange(filter, now) && offset <= MAX_SHORT_OFFSET
  return mayBeFew ? [toPageQuery(accountId, filter, limit, offset, MAX_FEW), whole] : [whole]
}

function isRange({ idPrefix, createdAt, ...others }: JobsFilter, now: Date): boolean {
  if (fieldsIn(others) > 0 || (idPrefix == null && createdAt == null)) return false
  const { from, to } = createdAt ?? {}
  return idPrefix != null || (from != null && (to ?? now).getTime() - from.getTime() <= FEW_MS)
}

/** @param limit and offset whole numbers; the text holds them because a generic plan is bad */
export function toPageQuery(
  accountId: string,
  filter: JobsFilter,
  limit: number,
  offset: number,
  countsTo = Number.POSITIVE_INFINITY,
): PageQuery {
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => {
    const known = values.indexOf(value)
    return `$${known < 0 ? values.push(value) : known + 1}`
  }
  const { statuses, ...others } = filter
  const conditions = [ofAccount('$1'), ...conditionsOf(others, parameter)]
  const isCut = Number.isFinite(countsTo)
  const page = (columns: '*' | 'id') => pageOf(columns, conditions, [...new Set(statuses)], limit, offset)
  return {
    page: offset === 0 ? page('*') : rowsOf(page('id')),
    total: `(select ${isCut ? fewOf(conditions, countsTo) : totalOf(accountId, filter, parameter)})`,
    countsTo,
    values,
    isCommon: PREPARED_LIMITS.has(limit) && offset === 0 && fieldsIn(filter) <= 1,
    isLong: offset > MAX_SHORT_OFFSET || !(isCut || isCounted(filter)),
  }
}

/** The order makes PostgreSQL read the account's index. */
const fewOf = (conditions: readonly string[], countsTo: number): string =>
  `count(*) from (select from job where ${conditions.join(' and ')} order by ${idsOfAccount('desc')} limit ${countsTo + 1}) few`

const fieldsIn = (filter: JobsFilter): number => Object.values(filter).filter((value) => value != null).length

/** The offset passes over index entries instead of rows. */
const rowsOf = (ids: string): string => `(select j.* from ${ids} i join job j on j.id = i.id)`

function pageOf(
  columns: '*' | 'id',
  conditions: readonly string[],
  statuses: readonly JobStatus[],
  limit: number,
  offset: number,
): string {
  const sorted = `order by ${idsOfAccount('desc')}`
  const cut = `limit ${limit} offset ${offset}`
  const wheres = (statuses.length === 0 ? [[]] : statuses.map((status) => [oneOf('status', [status])])).map(
    (status) => `from job where ${[...conditions, ...status].join(' and ')}`,
  )
  if (wheres.length === 1) return `(select ${columns} ${wheres[0]} ${sorted} ${cut})`
  const parts = wheres.map((where) => `(select ${columns} ${where} ${sorted} limit ${limit + offset})`)
  return `(select * from (${parts.join(' union all ')}) u order by id desc ${cut})`
}

const SUMMARY = REST_FIELDS.map(fieldOf)

/** The separators cannot occur: users' texts are JSON. */
const SUMMARY_LINE = SUMMARY.map(({ sql, type, isNullable, isOurs }) => {
  const text = type === 'String' && !isOurs ? `to_json(${sql})::text` : `${sql}::text`
  return isNullable ? `coalesce(${text}, '')` : text
}).join(` || '${FIELD}' || `)

/**
 * SQL of a page as one text, newest first.
 * @param page rows of `job`, parenthesised
 */
const summaryLines = (page: string): string => `(select string_agg(line, '${LINE}') from (
    select ${SUMMARY_LINE} as line from ${page} j left join api_key k on k.id = j.api_key_id order by j.id desc
  ) l)`

const readSummaries = (lines: string | null): JobSummary[] =>
  lines === null || lines === '' ? [] : lines.split(LINE).map(readSummary)

const READERS = SUMMARY.map(({ name, type, isNullable, isOurs }) => {
  const read = readerOf(type, isOurs)
  return { name, read: isNullable ? (text: string) => (text === '' ? null : read(text)) : read }
})

function readerOf(type: FieldType, isOurs: boolean): (text: string) => unknown {
  if (type === 'DateTime') return parseDatabaseTimestamp
  if (type === 'Boolean') return (text) => text === 'true'
  if (type === 'Int') return Number
  return type === 'String' && !isOurs ? JSON.parse : (text) => text
}

function readSummary(line: string): JobSummary {
  const texts = line.split(FIELD)
  const summary: Record<string, unknown> = {}
  READERS.forEach(({ name, read }, index) => {
    summary[name] = read(texts[index] as string)
  })
  return summary as unknown as JobSummary
}
