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

export interface CreditEntry {
  readonly id: bigint
  readonly publicId: string | null
  readonly kind: CreditKind
  readonly amount: bigint
  readonly jobId: string | null
  readonly createdAt: Date
}

export const ENTRY_VIEW = { id: true, publicId: true, kind: true, amount: true, jobId: true, createdAt: true } as const

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

/** Returns null if there is none that the caller may see. @throws UNAUTHORIZED, FORBIDDEN */
export async function findCreditEntry(ctx: Context, publicId: string, query?: RowQuery): Promise<CreditEntry | null> {
  const accountId = isOperator(ctx) ? undefined : await whoseAccount(ctx, null)
  const id = await entryNumber(ctx.db.prisma, publicId, accountId)
  return id === null
    ? null
    : ctx.db.prisma.creditEntry.findFirst({ where: { id }, select: selectOf(ENTRY_VIEW, query) })
}
