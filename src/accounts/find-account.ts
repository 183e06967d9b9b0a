import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { ACCOUNT_VIEW, type Account } from './account.ts'

/** The account with this id or this name. @throws NOT_FOUND */
export async function findAccount(ctx: Context, account: string): Promise<Account> {
  const found = await ctx.db.prisma.account.findFirst({
    where: { OR: [{ id: account }, { name: account }] },
    select: ACCOUNT_VIEW,
  })
  if (found === null)
    throw new ServiceError('NOT_FOUND', `Check the account: there is none with the id or name "${account}".`)
  return found
}
