import { isOperator, requireConfirmation, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { normalEmail, USER_VIEW, type User } from './user.ts'

/**
 * Finds a user of the caller's account, or for the operator any, by id or e-mail address.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), INVALID_REQUEST for an address of several users, REAUTHENTICATION_REQUIRED
 */
export async function managedUser(ctx: Context, user: string): Promise<User> {
  if (!isOperator(ctx)) requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const named = await ctx.db.prisma.user.findMany({ where: isNamed(user), select: USER_VIEW, orderBy: { id: 'asc' } })
  const reached = isOperator(ctx) ? named : named.filter((one) => isOfOwnAccount(ctx, one))
  const [found] = reached
  if (found === undefined) throw unknownUser(user)
  if (reached.length > 1) throw severalUsers(reached)
  if (!isOfOwnAccount(ctx, found)) requireConfirmation(ctx)
  return found
}

const isOfOwnAccount = ({ actor }: Context, { accountId }: User): boolean =>
  'accountId' in actor &&
  actor.accountId === accountId &&
  (!('scopes' in actor) || actor.scopes.includes(ACCOUNT_ADMIN_SCOPE))

/** An owner must not take power from an operator. @throws FORBIDDEN */
export function requireOperatorFor(ctx: Context, { operator }: Pick<User, 'operator'>): void {
  if (operator && !isOperator(ctx))
    throw new ServiceError('FORBIDDEN', 'Ask an operator: only operators change users who are operators.')
}

function isNamed(user: string) {
  const email = normalEmail(user)
  return { OR: [{ id: user }, ...(email === null ? [] : [{ email }])] }
}

const severalUsers = (users: readonly User[]) =>
  invalidRequest(
    `Give the id of one of them: ${users.map(({ id, accountId }) => `${id} (${accountId})`).join(', ')}.`,
    [{ path: '/user', message: 'names users of several accounts' }],
  )

const unknownUser = (user: string) => new ServiceError('NOT_FOUND', `No user with the id or e-mail address "${user}".`)
