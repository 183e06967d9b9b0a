import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { whoseAccount } from '../../accounts/accounts.ts'
import { ENTRY_ID } from '../../accounts/credit-entries.ts'
import { closeWindow } from '../../db/close-window.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import {
  closeJobWindow,
  conditionsOf,
  type JobsFilter,
  parameterViolations,
  rejectViolations,
  requireFilter,
} from '../list/jobs-filter.ts'
import { type CsvExport, type ExportContext, exportCsv } from './export-csv.ts'
import { EXPORTED, escapeFormula, time } from './job-cells.ts'

export const MAX_EXPORTED_JOBS = 500_000
const MAX_WINDOW_MS = 366 * 86_400_000
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
  requireFilter(ctx, filter)
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

export const CSV_HEAD = `\ufeff${EXPORTED.map(({ name }) => name).join(',')}\r\n`

const selected = (): string[] => EXPORTED.map(({ csv }) => csv(escapeFormula))

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
  copyJobs(`select * from job where ${within(accountId, window, filter)}`)

/** @param jobs a query of whole rows */
export const copyJobs = (jobs: string): string =>
  `copy (select ${selected().join(', ')} from (${jobs}) j left join api_key k on k.id = j.api_key_id
         order by j.id) to stdout with (format csv, encoding 'UTF8')`

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
                  ${time('created_at')}
                from (select *, sum(amount) over (order by created_at, id) as balance from credit_entry
                      where account_id = ${escapeLiteral(accountId)}) e
                where ${within.join(' and ')} order by created_at, id) to stdout with (format csv, encoding 'UTF8')`
}
