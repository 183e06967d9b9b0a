import { isOperator, requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'
import { normalEmail, USER_VIEW, type User } from './user.ts'

/**
 * A user of the account that the caller manages, or for the operator any.
 * @param user id or e-mail address
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts)
 */
export async function managedUser(ctx: Context, user: string): Promise<User> {
  const accountId = managedAccount(ctx)
  const where = { ...isNamed(user), ...(accountId !== null && { accountId }) }
  const found = await ctx.db.prisma.user.findFirst({ where, select: USER_VIEW })
  if (found === null) throw unknownUser(user)
  return found
}

/** The account whose users the caller manages; null for the operator: any. */
function managedAccount(ctx: Context): string | null {
  if (isOperator(ctx)) return null
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  return requireAccount(ctx).accountId
}

/** The users with this id or this e-mail address: one, or none. */
function isNamed(user: string) {
  const email = normalEmail(user)
  return { OR: [{ id: user }, ...(email === null ? [] : [{ email }])] }
}

const unknownUser = (user: string) =>
  new ServiceError('NOT_FOUND', `Check the user: there is none with the id or e-mail address "${user}".`)
