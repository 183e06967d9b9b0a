import { escapeLiteral } from 'pg'
import { ENTRY_ID } from '../../accounts/entry-id.ts'
import { whoseAccount } from '../../accounts/whose-account.ts'
import { closeWindow } from '../../db/close-window.ts'
import { parameterViolations, rejectViolations } from '../list/filter-parameters.ts'
import { type CsvExport, type ExportContext, exportCsv } from './export-csv.ts'

const HEAD = '\ufeffentry_id,kind,amount,balance,job_id,created_at\r\n'

export interface ExportLedgerInput {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Id or name, for the operator only. */
  readonly account?: string | undefined
  readonly gone?: AbortSignal
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
