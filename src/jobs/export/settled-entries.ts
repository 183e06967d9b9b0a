import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, LEDGER_SCOPE } from '../../access/scopes.ts'
import { ENTRY_ID, entryNumber } from '../../accounts/credit-entries.ts'
import type { Context } from '../../context/context.ts'
import { writersEnd } from '../../db/close-window.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { invalidRequest, unavailable } from '../../errors/service-error.ts'
import { rejectViolations } from '../list/jobs-filter.ts'
import { type ExportContext, exportCsv, type JsonField } from './export-csv.ts'
import { copyRows, type Feed, type FeedFormat, lastLine, readCursor, writeCursor } from './feed.ts'
import { exactTime, time } from './job-cells.ts'

const CURSOR_OF = 'ledger'
const ENTRY = /^(entry_\w{1,40})?$/
const LONGEST_WAIT_MS = 10_000
/** New columns go to the end. */
const ENTRY_COLUMNS: readonly JsonField[] = [
  { name: 'entry_id', isText: true },
  { name: 'kind', isText: true },
  { name: 'amount' },
  { name: 'balance' },
  { name: 'job_id', isText: true },
  { name: 'api_key_id', isText: true },
  { name: 'endpoint_key', isText: true },
  { name: 'created_at', isText: true },
]

/** The statement begins before it reads the sequence, so an entry from before `at` has at most this number. */
const SETTLING = `select ${exactTime('statement_timestamp()')} as at,
  coalesce(pg_sequence_last_value('credit_entry_id_seq'::regclass), 0)::text as last`
const LAST_OF_ACCOUNT = `select id::text as number, ${ENTRY_ID} as entry from credit_entry
  where ${ofAccount('$1')} and id <= $2 order by ${idsOfAccount('desc')} limit 1`
const LAST_OF_PAGE = `select id::text as number, ${ENTRY_ID} as entry from credit_entry
  where ${ofAccount('$1')} and id > $2 and id <= $3 order by ${idsOfAccount('asc')} offset $4::bigint - 1 limit 1`
/** Entries of one moment may have their numbers in another order than their times. */
const FIRST_AFTER = `select ${exactTime('min(created_at)')} as at from credit_entry where ${ofAccount('$1')} and id > $2 and id <= $3`

export interface SettledEntriesInput {
  /** The cursor of an earlier answer. */
  readonly since?: string | undefined
  readonly format?: FeedFormat | undefined
  /** Most entries. If there are so many, more may follow the cursor. */
  readonly limit?: number | undefined
  readonly gone?: AbortSignal
}

/**
 * The account's ledger since a cursor, in its order, each entry with the balance after it. An entry that was sent never changes, and
 * none comes before it later.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, UNAVAILABLE if a transaction takes too long, RATE_LIMITED
 */
export async function settledEntries(
  ctx: ExportContext,
  { since, format = 'ndjson', limit, gone }: SettledEntriesInput,
): Promise<Feed> {
  const accountId = whoseLedger(ctx)
  const known = since === undefined ? '' : readCursor(CURSOR_OF, accountId, since, ENTRY)
  if (known === null)
    rejectViolations([{ path: 'since', message: 'must be a cursor of the ledger that this account was given' }])
  const after = known ? await numberOf(ctx, known, accountId) : '0'
  const { at, number, entry } = await endOf(ctx, accountId, after, limit, gone)
  const cursor = writeCursor(CURSOR_OF, accountId, entry)
  const source = {
    accountId,
    head: format === 'csv' ? `${ENTRY_COLUMNS.map(({ name }) => name).join(',')}\r\n` : '',
    ...copyRows(format, rowsOf(accountId, after, number), ENTRY_COLUMNS),
    ...(format === 'ndjson' && { tail: lastLine(cursor, at) }),
  }
  return { ...(await exportCsv(ctx, source, gone)), format, cursor, completeBefore: at }
}

/** A key that administers the account reads its ledger anyway. */
function whoseLedger(ctx: Context): string {
  const administers = 'scopes' in ctx.actor && ctx.actor.scopes.includes(ACCOUNT_ADMIN_SCOPE)
  if (!administers) requireScope(ctx, LEDGER_SCOPE)
  return requireAccount(ctx).accountId
}

async function numberOf({ db }: Context, entry: string, accountId: string): Promise<string> {
  const number = await entryNumber(db.prisma, entry, accountId)
  if (number === null)
    throw invalidRequest('Load the ledger anew, without since: the service lacks what this cursor has seen.')
  return String(number)
}

interface End {
  /** All entries from before it are known. */
  readonly at: string
  readonly number: string
  readonly entry: string
}

async function endOf(
  ctx: Context,
  accountId: string,
  after: string,
  limit: number | undefined,
  gone: AbortSignal | undefined,
): Promise<End> {
  const { at, last } = await settle(ctx, gone)
  const ask = async <Row extends object>(sql: string, ...values: unknown[]) =>
    (await ctx.db.pool.query<Row>(sql, [accountId, ...values])).rows[0]
  const full = limit === undefined ? undefined : await ask<Omit<End, 'at'>>(LAST_OF_PAGE, after, last, limit)
  if (full === undefined) return { at, number: '0', entry: '', ...(await ask<Omit<End, 'at'>>(LAST_OF_ACCOUNT, last)) }
  return { ...full, at: (await ask<{ at: string | null }>(FIRST_AFTER, full.number, last))?.at ?? at }
}

/** An entry gets its number while its transaction holds the table's lock, so numbers up to `last` are settled once the writers have ended. */
async function settle({ db }: Context, gone: AbortSignal | undefined): Promise<{ at: string; last: string }> {
  const { rows } = await db.pool.query<{ at: string; last: string }>(SETTLING)
  if (!(await writersEnd(db, 'credit_entry', { mostMs: LONGEST_WAIT_MS, gone })))
    throw unavailable('a transaction writes the ledger for long')
  return rows[0]!
}

/** Balances are counted back from the present one, so old entries are not read. COPY takes no parameters. */
function rowsOf(accountId: string, after: string, last: string): string {
  const owner = escapeLiteral(accountId)
  const newer = `credit_entry where account_id = ${owner} and id > ${after}`
  const before = `(select credits from account where id = ${owner}) - (select coalesce(sum(amount), 0) from ${newer})`
  return `
    select entry_id, kind, amount, balance, job_id, api_key_id, endpoint_key, ${time('created_at')} as created_at from (
      select ${ENTRY_ID} as entry_id, kind, amount, (${before} + sum(amount) over (order by id))::bigint as balance,
        job_id, api_key_id, endpoint_key, created_at, id from ${newer}
    ) e where id <= ${last} order by id`
}
