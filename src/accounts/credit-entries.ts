import { isOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { closeWindow } from '../db/close-window.ts'
import { ownIds } from '../db/own/own-ids.ts'
import { orderOfAccount, whereOfAccount } from '../db/own/own-rows.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { numberedPage, wherePublicId } from '../db/public-id.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { entryId, entryNumber } from './entry-id.ts'
import { whoseAccount } from './whose-account.ts'

export type CreditKind = 'grant' | 'charge' | 'refund' | 'carried'

/** One line of an account's ledger; all of them together are its balance. */
export interface CreditEntry {
  /** Later entries have larger ones. Callers know it by `entryId`. */
  readonly id: bigint
  readonly publicId: string | null
  readonly kind: CreditKind
  /** Negative where it was taken. */
  readonly amount: bigint
  readonly jobId: string | null
  readonly createdAt: Date
}

export const ENTRY_VIEW = { id: true, publicId: true, kind: true, amount: true, jobId: true, createdAt: true } as const

/** A page of the ledger, newest first. */
export interface CreditEntriesInput extends PageInput {
  /** Id or name: for the operator alone. Every other caller has its own. */
  readonly account?: string | null | undefined
  /** Any of these; absent: all. */
  readonly kinds?: readonly CreditKind[] | null | undefined
  /** From inclusive, to exclusive; either may be absent. */
  readonly createdAt?:
    | { readonly from?: Date | null | undefined; readonly to?: Date | null | undefined }
    | null
    | undefined
  readonly query?: RowQuery
}

/**
 * The ledger of an account, newest first.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
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
  return toConnection(rows, shape, input, { cursorOf: (entry) => entryId(entry), nodeOf: (entry) => entry })
}

function rejectWrong({ kinds, createdAt }: CreditEntriesInput): void {
  const [from, to] = [createdAt?.from ?? undefined, createdAt?.to ?? undefined]
  const details = [
    ...(kinds?.length === 0 ? [{ path: '/kinds', message: 'must name at least one' }] : []),
    ...(from && to && from > to ? [{ path: '/createdAt', message: 'must not begin after its end' }] : []),
  ]
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
}

/** One entry of the caller's account, or for the operator of any; null where there is none. @throws UNAUTHORIZED, FORBIDDEN */
export async function findCreditEntry(ctx: Context, publicId: string, query?: RowQuery): Promise<CreditEntry | null> {
  const accountId = isOperator(ctx) ? undefined : await whoseAccount(ctx, null)
  const id = await entryNumber(ctx.db.prisma, publicId, accountId)
  return id === null
    ? null
    : ctx.db.prisma.creditEntry.findFirst({ where: { id }, select: selectOf(ENTRY_VIEW, query) })
}
