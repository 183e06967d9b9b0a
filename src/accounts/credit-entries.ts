import { ACCOUNT_ADMIN_SCOPE } from '../api-keys/api-key.ts'
import { type Context, requireAccount, requireScope } from '../context.ts'
import { invalidRequest } from '../errors.ts'

const DEFAULT_FIRST = 50
const MAX_FIRST = 100
const ID_FORM = /^\d{1,18}$/

export const CREDIT_KINDS = ['grant', 'charge', 'refund'] as const
export type CreditKind = (typeof CREDIT_KINDS)[number]

/** One line of an account's ledger; all of them together are its balance (contract.md section 5). */
export interface CreditEntry {
  readonly id: bigint
  readonly kind: CreditKind
  /** Negative where it was taken. */
  readonly amount: bigint
  readonly jobId: string | null
  readonly createdAt: Date
}

export interface CreditEntriesInput {
  /** 1 to 100; 50 unless given. */
  readonly first?: number | null | undefined
  /** The id of an entry: only older ones. */
  readonly after?: string | null | undefined
}

/** The ledger of the caller's account, newest first. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function creditEntries(ctx: Context, { first, after }: CreditEntriesInput): Promise<CreditEntry[]> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const take = first ?? DEFAULT_FIRST
  if (take < 1 || take > MAX_FIRST) throw invalidRequest(`Ask for 1 to ${MAX_FIRST} entries.`)
  if (after && !ID_FORM.test(after)) throw invalidRequest('Send the id of an entry as after.')
  return ctx.db.prisma.creditEntry.findMany({
    where: { accountId, ...(after && { id: { lt: BigInt(after) } }) },
    orderBy: { id: 'desc' },
    take,
    omit: { accountId: true },
  })
}
