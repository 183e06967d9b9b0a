import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, LEDGER_SCOPE } from '../../access/scopes.ts'
import { ENTRY_ID, entryNumber } from '../../accounts/credit-entries.ts'
import type { Context } from '../../context/context.ts'
import { writersEnd } from '../../db/close-window.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import type { Snapshot } from '../../db/snapshot.ts'
import { invalidRequest, unavailable } from '../../errors/service-error.ts'
import { rejectViolations } from '../list/jobs-filter.ts'
import { type ExportContext, exportCsv, type JsonField } from './export-csv.ts'
import { copyRows, type Feed, type FeedFormat, lastLine, readCursor, writeCursor } from './feed.ts'
import { exactTime, time } from './job-cells.ts'

const CURSOR_OF = 'ledger'
/** An entry, the balance after it, and the time before which no later entry is; early cursors have the entry alone. */
const PLACE = /^(entry_\w{1,40})?(\/-?\d{1,19}\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)?$/
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

/**
 * The statement begins before it reads the sequence, so an entry from before `at` has at most this number. PostgreSQL rounds
 * `created_at` to milliseconds, which never takes it to before `at` if that has no more.
 */
const SETTLING = `select ${exactTime(`date_trunc('milliseconds', statement_timestamp())`)} as at,
  coalesce(pg_sequence_last_value('credit_entry_id_seq'::regclass), 0)::text as last`

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
  const known = placeOf(accountId, since)
  const after = known.entry ? await numberOf(ctx, known.entry, accountId) : '0'
  const page: Page = { accountId, known, after, ...(await settle(ctx, gone)), limit }
  let end: End = { entry: '', balance: '0', completeBefore: page.at }
  const cursor = () => writeCursor(CURSOR_OF, accountId, [end.entry, end.balance, end.completeBefore].join('/'))
  const source = {
    accountId,
    head: format === 'csv' ? `${ENTRY_COLUMNS.map(({ name }) => name).join(',')}\r\n` : '',
    ...copyRows(format, rowsOf(page), ENTRY_COLUMNS),
    ...(format === 'ndjson' && { tail: (rows: number) => lastLine(cursor(), end.completeBefore)(rows) }),
    check: async (snapshot: Snapshot) => {
      end = await endOf(snapshot, page)
    },
  }
  const exported = await exportCsv(ctx, source, gone)
  return { ...exported, format, cursor: cursor(), completeBefore: end.completeBefore }
}

/** A key that administers the account reads its ledger anyway. */
function whoseLedger(ctx: Context): string {
  const administers = 'scopes' in ctx.actor && ctx.actor.scopes.includes(ACCOUNT_ADMIN_SCOPE)
  if (!administers) requireScope(ctx, LEDGER_SCOPE)
  return requireAccount(ctx).accountId
}

/** @throws INVALID_REQUEST */
function placeOf(accountId: string, since: string | undefined): Partial<End> {
  const place = since === undefined ? '' : readCursor(CURSOR_OF, accountId, since, PLACE)
  if (place === null)
    rejectViolations([{ path: 'since', message: 'must be a cursor of the ledger that this account was given' }])
  const [entry, balance, completeBefore] = place?.split('/') ?? []
  return { entry, balance, completeBefore }
}

async function numberOf({ db }: Context, entry: string, accountId: string): Promise<string> {
  const number = await entryNumber(db.prisma, entry, accountId)
  if (number === null)
    throw invalidRequest('Load the ledger anew, without since: the service lacks what this cursor has seen.')
  return String(number)
}

/** The last entry of an answer. */
interface End {
  readonly entry: string
  readonly balance: string
  /** All entries from before it are known. */
  readonly completeBefore: string
}

interface Page {
  readonly accountId: string
  readonly known: Partial<End>
  /** Numbers of entries: from behind the first up to the last. */
  readonly after: string
  readonly last: string
  /** When the last number was read. */
  readonly at: string
  readonly limit: number | undefined
}

async function endOf(snapshot: Snapshot, page: Page): Promise<End> {
  const { known, after, last, at, limit } = page
  const entries = `select id::text as number, ${ENTRY_ID} as entry from ${entriesOf(page)} and id <= ${last}`
  const find = (rest: string) => snapshot.query<{ number: string; entry: string }>(`${entries} ${rest}`)
  const [full, next] =
    limit === undefined
      ? []
      : await find(`and id > ${after} order by ${idsOfAccount('asc')} offset ${limit - 1} limit 2`)
  const hasMore = next !== undefined
  const [found] = hasMore ? [full] : await find(`order by ${idsOfAccount('desc')} limit 1`)
  const { number, entry } = found ?? { number: '0', entry: '' }
  const [sums] = await snapshot.query<{ balance: string; first: string | null }>(sumsOf(page, number))
  const { balance, first } = sums!
  const bound = known.completeBefore ?? first ?? at
  return { entry, balance, completeBefore: hasMore && bound < at ? bound : at }
}

/**
 * The balance after an entry. Without a balance to begin with it is counted back from the present one, which reads all later entries
 * and finds the earliest of them: entries of one moment may have their numbers in another order than their times.
 */
function sumsOf(page: Page, number: string): string {
  const { accountId, known, after, last } = page
  if (known.balance !== undefined)
    return `select (${known.balance} + coalesce(sum(amount), 0))::text as balance, null as first
      from ${entriesOf(page)} and id > ${after} and id <= ${number}`
  return `select (${creditsOf(accountId)} - coalesce(sum(amount), 0))::text as balance,
      ${exactTime(`min(created_at) filter (where id <= ${last})`)} as first
    from ${entriesOf(page)} and id > ${number}`
}

const entriesOf = ({ accountId }: Page): string => `credit_entry where ${ofAccount(escapeLiteral(accountId))}`

const creditsOf = (accountId: string): string => `(select credits from account where id = ${escapeLiteral(accountId)})`

/** An entry gets its number while its transaction holds the table's lock, so numbers up to `last` are settled once the writers have ended. */
async function settle({ db }: Context, gone: AbortSignal | undefined): Promise<{ at: string; last: string }> {
  const { rows } = await db.pool.query<{ at: string; last: string }>(SETTLING)
  if (!(await writersEnd(db, 'credit_entry', { mostMs: LONGEST_WAIT_MS, gone })))
    throw unavailable('a transaction writes the ledger for long')
  return rows[0]!
}

/** Old entries are not read. COPY takes no parameters. */
function rowsOf(page: Page): string {
  const { accountId, known, after, last, limit } = page
  const newer = `${entriesOf(page)} and id > ${after}`
  const before = known.balance ?? `${creditsOf(accountId)} - (select coalesce(sum(amount), 0) from ${newer})`
  const inOrder = `order by ${idsOfAccount('asc')}`
  return `
    select entry_id, kind, amount, balance, job_id, api_key_id, endpoint_key, ${time('created_at')} as created_at from (
      select ${ENTRY_ID} as entry_id, kind, amount, ${before} + sum(amount) over (${inOrder}) as balance,
        job_id, api_key_id, endpoint_key, created_at, account_id, id
      from (select * from ${newer} and id <= ${last} ${inOrder} limit ${limit ?? 'all'}) p
    ) e ${inOrder}`
}
