import { type Context, isOperator } from '../context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import type { Prisma } from '../generated/prisma/client.ts'
import { whoseAccount } from './whose-account.ts'

const ID_PREFIX = 'entry_'
const ID_FORM = /^entry_(?:0|[1-9]\d{0,17})$/

export type CreditKind = 'grant' | 'charge' | 'refund'

/** One line of an account's ledger; all of them together are its balance (contract.md section 5). */
export interface CreditEntry {
  /** `entry_` and its number: later entries have larger ones. */
  readonly id: string
  readonly kind: CreditKind
  /** Negative where it was taken. */
  readonly amount: bigint
  readonly jobId: string | null
  readonly createdAt: Date
}

export interface CreditEntriesInput extends PageInput {
  /** Id or name: the operator's to say. Everybody else's is their own. */
  readonly account?: string | null | undefined
}

/** The ledger of an account, newest first. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST */
export async function creditEntries(ctx: Context, input: CreditEntriesInput): Promise<Connection<CreditEntry>> {
  const accountId = await whoseAccount(ctx, input.account)
  const shape = pageShape(input, (text) => ID_FORM.test(text))
  const { id, ...rest } = idQuery(input, shape, 'newest', toNumber)
  const rows = await ctx.db.prisma.creditEntry.findMany({ where: { accountId, id }, ...rest })
  return toConnection(rows.map(toEntry), shape, input, { cursorOf: (entry) => entry.id, nodeOf: (entry) => entry })
}

/** One entry of the caller's account, or for the operator of any; null where there is none. @throws UNAUTHORIZED, FORBIDDEN */
export async function findCreditEntry(ctx: Context, entryId: string): Promise<CreditEntry | null> {
  const accountId = isOperator(ctx) ? undefined : await whoseAccount(ctx, null)
  if (!ID_FORM.test(entryId)) return null
  const where = { id: toNumber(entryId), ...(accountId !== undefined && { accountId }) }
  const row = await ctx.db.prisma.creditEntry.findFirst({ where })
  return row === null ? null : toEntry(row)
}

const toNumber = (entryId: string): bigint => BigInt(entryId.slice(ID_PREFIX.length))

const toEntry = ({ id, kind, amount, jobId, createdAt }: Prisma.CreditEntryModel): CreditEntry => ({
  id: `${ID_PREFIX}${id}`,
  ...{ kind, amount, jobId, createdAt },
})
