import { type Context, requireOperator } from '../context.ts'
import { invalidRequest } from '../errors.ts'
import type { Account } from './account.ts'

const DEFAULT_FIRST = 50
const MAX_FIRST = 100

export interface AccountsInput {
  /** 1 to 100; 50 unless given. */
  readonly first?: number | null | undefined
  /** An account id: only accounts made after it. */
  readonly after?: string | null | undefined
}

/** All accounts, oldest first, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function accounts(ctx: Context, { first, after }: AccountsInput): Promise<Account[]> {
  requireOperator(ctx)
  const take = first ?? DEFAULT_FIRST
  if (take < 1 || take > MAX_FIRST) throw invalidRequest(`Ask for 1 to ${MAX_FIRST} accounts.`)
  if (after?.includes('\0')) throw invalidRequest('Send the id of an account as after.')
  return ctx.db.prisma.account.findMany({
    ...(after && { where: { id: { gt: after } } }),
    orderBy: { id: 'asc' },
    take,
    select: { id: true, name: true, credits: true },
  })
}
