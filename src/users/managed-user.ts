import { isOperator, requireConfirmation, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'
import { normalEmail, USER_VIEW, type User } from './user.ts'

/**
 * A user that the caller manages: of its own account, or for the operator any.
 * @param user id or e-mail address
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), REAUTHENTICATION_REQUIRED
 */
export async function managedUser(ctx: Context, user: string): Promise<User> {
  if (!isOperator(ctx)) requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const found = await ctx.db.prisma.user.findFirst({ where: isNamed(user), select: USER_VIEW })
  if (found === null || !(isOfOwnAccount(ctx, found) || isOperator(ctx))) throw unknownUser(user)
  if (!isOfOwnAccount(ctx, found)) requireConfirmation(ctx)
  return found
}

const isOfOwnAccount = ({ actor }: Context, { accountId }: User): boolean =>
  'accountId' in actor &&
  actor.accountId === accountId &&
  (!('scopes' in actor) || actor.scopes.includes(ACCOUNT_ADMIN_SCOPE))

/** The users with this id or this e-mail address: one, or none. */
function isNamed(user: string) {
  const email = normalEmail(user)
  return { OR: [{ id: user }, ...(email === null ? [] : [{ email }])] }
}

const unknownUser = (user: string) => new ServiceError('NOT_FOUND', `No user with the id or e-mail address "${user}".`)
