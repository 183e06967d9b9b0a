import type { QueryResultRow } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import type { Database } from '../../db/database.ts'
import { statementName } from '../../db/statement-name.ts'
import type { Detail } from '../../errors/service-error.ts'
import { type Job, type JobSummary, PAGE_COLUMNS } from '../job-shape.ts'
import { closeJobWindow } from './close-job-window.ts'
import { type FilterParameters, parameterViolations, rejectViolations, toJobsFilter } from './filter-parameters.ts'
import { type PageQuery, pageQueries } from './page-query.ts'
import { readSummaries, summaryLines } from './summary-lines.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
const MAX_OFFSET = 2_147_483_647

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
