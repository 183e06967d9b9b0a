import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { ownerOf } from '../access/actor.ts'
import { isOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { closeWindow } from '../db/close-window.ts'
import { longRead } from '../db/connections/long-read.ts'
import type { Database } from '../db/database.ts'
import { dayBegin } from '../db/day-begin.ts'
import { countRows, newestOfEach, ofAccount, orderOfAccount, ownIds, whereOfAccount } from '../db/own/own-rows.ts'
import {
  type Connection,
  idQuery,
  numberedPage,
  type PageInput,
  pageShape,
  publicIdOf,
  toConnection,
  wherePublicId,
  wherePublicIds,
} from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { isTimeZone, isUnknownZone } from '../values/timestamp.ts'
import { whoseAccount } from './accounts.ts'

export const ENTRY_VIEW = {
  id: true,
  publicId: true,
  kind: true,
  amount: true,
  jobId: true,
  createdAt: true,
  accountId: true,
} as const
// A job has at most one charge and one refund. Their ids are the job's, with another version in the UUID.
const SUFFIX = 'job_'.length
const VERSION = 10
/** The base32 character of the UUID's version: 7 in a charge, 8 in a refund. */
const [CHARGED, REFUNDED] = ['ef', 'gh'] as const

/** Releases up to 0.1.0 wrote carried charges late and dated them early: they count as of their date. Prisma Client has no window functions. */
const BALANCES = `
  with asked as (
    select id, account_id, kind, created_at from credit_entry where id = any($1::bigint[])
  ), page as (
    select account_id, min(id) as low, max(id) as high from asked where kind <> 'carried' group by account_id
  ), newer as (
    select p.account_id, coalesce(sum(e.amount), 0) as amount
    from page p left join credit_entry e on e.account_id = p.account_id and e.id > p.high group by 1
  ), within as (
    select e.id, e.account_id, e.kind, e.created_at,
      sum(e.amount) over (partition by e.account_id order by e.id desc) - e.amount as amount
    from page p join credit_entry e on e.account_id = p.account_id and e.id between p.low and p.high
  ), carried as (
    select id, account_id, row_number() over (partition by account_id order by created_at) as place from asked where kind = 'carried'
  ), dates as (
    select account_id, array_agg(created_at + interval '1 microsecond' order by created_at) as after
    from asked where kind = 'carried' group by 1
  ), between_dates as (
    select d.account_id, width_bucket(e.created_at, d.after) as place, sum(e.amount) as amount
    from dates d join credit_entry e on e.account_id = d.account_id and e.created_at >= d.after[1] group by 1, 2
  ), later as (
    select w.id, w.account_id, n.amount + w.amount - coalesce((
      select sum(c.amount) from credit_entry c
      where c.account_id = w.account_id and c.kind = 'carried' and c.id > w.id and c.created_at < w.created_at
    ), 0) as amount
    from within w join newer n using (account_id) where w.kind <> 'carried' and w.id = any($1::bigint[])
    union all
    select c.id, c.account_id, coalesce(sum(b.amount), 0)
    from carried c left join between_dates b on b.account_id = c.account_id and b.place >= c.place group by 1, 2
  )
  select l.id::text, (a.credits - l.amount)::float8 as balance from later l join account a on a.id = l.account_id`

const DAY_MS = 86_400_000
const MAX_DAYS = 366

/** Prisma Client cannot group by days of a time zone. */
const SUMS = `
  with days as (
    select t as day, ${dayBegin('t', '$4')} as at
    from generate_series(date_trunc('day', $2::timestamptz at time zone $4), $3::timestamptz at time zone $4, '1 day') t
  ), sums as (
    select date_trunc('day', created_at at time zone $4) as day,
      sum(amount) filter (where kind = 'grant') as granted, -sum(amount) filter (where kind in ('charge', 'refund')) as spent,
      -sum(amount) filter (where kind = 'carried') as carried
    from credit_entry where ${ofAccount('$1')} and created_at >= (select min(at) from days) and created_at < $3 group by 1
  )
  select at, coalesce(granted, 0)::float8 as granted, coalesce(spent, 0)::float8 as spent, coalesce(carried, 0)::float8 as carried
  from days left join sums using (day) where at < $3 order by at`

export type CreditEntry = Prisma.CreditEntryGetPayload<{ select: typeof ENTRY_VIEW }>

export type CreditKind = CreditEntry['kind']

export interface CreditEntriesInput extends PageInput {
  readonly account?: string | null | undefined
  readonly kinds?: readonly CreditKind[] | null | undefined
  /** From inclusive, to exclusive. */
  readonly createdAt?:
    | { readonly from?: Date | null | undefined; readonly to?: Date | null | undefined }
    | null
    | undefined
  readonly query?: RowQuery
}

export interface CreditDaysInput {
  readonly account?: string | null | undefined
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  readonly timeZone?: string | null | undefined
}

/** Granted less spent and carried, over all days, is the balance. */
export interface LedgerDay {
  readonly at: Date
  readonly granted: number
  readonly spent: number
  /** Charges less refunds of whole months that releases up to 0.1.0 deleted. */
  readonly carried: number
}

interface Days {
  readonly from: Date
  readonly to: Date
  readonly timeZone: string
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED if the account's reads take too long */
export async function creditEntries(ctx: Context, asked: CreditEntriesInput): Promise<Connection<CreditEntry>> {
  const accountId = await whoseAccount(ctx, asked.account)
  const shape = pageShape(asked, (text) => wherePublicId('entry', text) !== null)
  rejectWrong(asked)
  const input = await numberedPage(asked, (text) => entryNumber(ctx.db.prisma, text, accountId))
  await closeWindow(ctx, 'credit_entry', input.createdAt?.to)
  const { id, orderBy, take } = idQuery(input, shape, 'newest', BigInt)
  const narrowing = { table: 'credit_entry', column: 'kind::text', values: input.kinds, ...input } as const
  const ids = await ownIds(ctx.db, accountId, narrowing, input, shape)
  const rows = await ctx.db.prisma.creditEntry.findMany({
    where: { ...whereOfAccount(accountId), id: ids === null ? id : { in: ids } },
    orderBy: orderOfAccount(orderBy),
    take,
    select: selectOf(ENTRY_VIEW, asked.query),
  })
  const count = () => countRows(ctx.db, accountId, accountId, narrowing)
  return toConnection(rows, shape, input, { cursorOf: (entry) => entryId(entry), nodeOf: (entry) => entry, count })
}

function rejectWrong({ kinds, createdAt }: CreditEntriesInput): void {
  const [from, to] = [createdAt?.from ?? undefined, createdAt?.to ?? undefined]
  const details = [
    ...(kinds?.length === 0 ? [{ path: '/kinds', message: 'must name at least one' }] : []),
    ...(from && to && from > to ? [{ path: '/createdAt', message: 'must not begin after its end' }] : []),
  ]
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
}

/** The entries that the caller may see, and the other entries of their jobs. @throws UNAUTHORIZED, FORBIDDEN */
export async function findCreditEntries(
  ctx: Context,
  publicIds: readonly string[],
  query?: RowQuery,
): Promise<CreditEntry[]> {
  const accountId = isOperator(ctx) ? undefined : await whoseAccount(ctx, null)
  const ofAccount = accountId !== undefined && { accountId }
  const jobIds = publicIds.flatMap((id) => (isId('entry', id) ? [jobOf(id).jobId] : []))
  const others = wherePublicIds('entry', publicIds)
  const wanted = [
    ...(jobIds.length > 0 ? [{ jobId: { in: jobIds } }] : []),
    ...others.map((one) => ({ ...one, jobId: null })),
  ]
  const found = wanted.map((where) =>
    ctx.db.prisma.creditEntry.findMany({ where: { ...where, ...ofAccount }, select: selectOf(ENTRY_VIEW, query) }),
  )
  return (await Promise.all(found)).flat()
}

/** The newest entries of each account, newest first. The caller authorises. */
export const newestEntries = (
  { db }: Pick<Context, 'db'>,
  accountIds: readonly string[],
  query?: RowQuery,
): Promise<Map<string, CreditEntry[]>> =>
  newestOfEach(accountIds, (page) => db.prisma.creditEntry.findMany({ ...page, select: selectOf(ENTRY_VIEW, query) }))

export function entryId(entry: Pick<CreditEntry, 'id' | 'kind' | 'jobId' | 'publicId'>): string {
  const { kind, jobId } = entry
  if (jobId === null) return publicIdOf('entry', entry)
  const suffix = jobId.slice(SUFFIX)
  return `entry_${kind === 'refund' ? withVersion(suffix, CHARGED, REFUNDED) : suffix}`
}

export const ENTRY_ID = `case when job_id is null then coalesce(public_id, 'entry_' || id)
  when kind = 'refund' then 'entry_' || overlay(substr(job_id, ${SUFFIX + 1})
    placing translate(substr(job_id, ${SUFFIX + VERSION + 1}, 1), '${CHARGED}', '${REFUNDED}') from ${VERSION + 1})
  else 'entry_' || substr(job_id, ${SUFFIX + 1}) end`

/** @param accountId undefined: of any account */
export async function entryNumber(
  { creditEntry }: Database['prisma'],
  text: string,
  accountId: string | undefined,
): Promise<bigint | null> {
  const own = wherePublicId('entry', text)
  if (own === null) return null
  const ofAccount = accountId === undefined ? {} : { accountId }
  const job = isId('entry', text) ? jobOf(text) : null
  const found =
    (job && (await creditEntry.findFirst({ where: { ...job, ...ofAccount }, select: { id: true } }))) ??
    (await creditEntry.findFirst({ where: { ...own, ...ofAccount, jobId: null }, select: { id: true } }))
  return found?.id ?? null
}

function jobOf(text: string): { jobId: string; kind: 'charge' | 'refund' } {
  const suffix = text.slice('entry_'.length)
  const isRefund = REFUNDED.includes(suffix[VERSION]!)
  return {
    jobId: `job_${isRefund ? withVersion(suffix, REFUNDED, CHARGED) : suffix}`,
    kind: isRefund ? 'refund' : 'charge',
  }
}

function withVersion(suffix: string, from: string, to: string): string {
  const digit = suffix[VERSION]!
  return suffix.slice(0, VERSION) + (to[from.indexOf(digit)] ?? digit) + suffix.slice(VERSION + 1)
}

/** The balance after each entry. The caller authorises. */
export async function balancesAfter(ctx: Context, entryIds: readonly string[]): Promise<Map<string, number>> {
  const statement = { text: BALANCES, values: [entryIds] }
  const { rows } = await longRead<{ id: string; balance: number }>(ctx.db, ownerOf(ctx.actor) ?? '', statement)
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED if the account's reads take too long */
export async function creditDays(ctx: Context, input: CreditDaysInput): Promise<LedgerDay[]> {
  const accountId = await whoseAccount(ctx, input.account)
  const { from, to, timeZone } = { ...input, to: input.to ?? ctx.now(), timeZone: input.timeZone ?? 'UTC' }
  if (from >= to) throw refuse('/from', 'must be before to')
  if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
    throw refuse('/from', `must not be more than ${MAX_DAYS} days before to`)
  if (!isTimeZone(timeZone)) throw refuse('/timeZone', 'must be the name of a time zone, such as Europe/Berlin')
  await closeWindow(ctx, 'credit_entry', input.to)
  return ledgerDays(ctx.db, accountId, { from, to, timeZone }).catch(refuseUnknownZone)
}

function refuseUnknownZone(error: unknown): never {
  if (!isUnknownZone(error)) throw error
  throw refuse('/timeZone', 'must be a time zone that the database knows, such as Europe/Berlin')
}

const refuse = (path: string, message: string) =>
  invalidRequest('Invalid arguments: see `details`.', [{ path, message }])

/** @throws RATE_LIMITED if the account's reads take too long */
export async function ledgerDays(
  db: Pick<Database, 'readPool' | 'readShares'>,
  accountId: string,
  { from, to, timeZone }: Days,
): Promise<LedgerDay[]> {
  const { rows } = await longRead<LedgerDay>(db, accountId, { text: SUMS, values: [accountId, from, to, timeZone] })
  return rows
}
