import { isOperator, requireConfirmation, requireScope, requireSystem } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, type UserRole } from '../access/scopes.ts'
import { recordUserChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { endSessions } from './sessions.ts'
import { normalEmail, USER_VIEW, type User } from './users.ts'

export interface UserUpdate {
  readonly user: string
  readonly role: UserRole
  readonly query?: RowQuery
}

interface OperatorMark {
  readonly user: string
  readonly operator: boolean
}

/**
 * Changes a user's role from their next request on.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), INVALID_REQUEST for the last owner
 */
export async function updateUser(ctx: Context, input: UserUpdate): Promise<User> {
  const user = await managedUser(ctx, input.user)
  requireOperatorFor(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    if (input.role !== 'owner') await requireAnotherOwner(tx, user)
    const where = { id: user.id, role: { not: input.role } }
    const { count } = await tx.user.updateMany({ where, data: { role: input.role } })
    if (count > 0) await recordUserChange(tx, ctx, 'user_role_changed', user, input.role)
    return tx.user.findUniqueOrThrow({ where: { id: user.id }, select: selectOf(USER_VIEW, input.query) })
  })
}

/**
 * Disables a user and ends their sessions and links. Only the command line disables the last owner.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), INVALID_REQUEST for the last owner
 */
export async function disableUser(
  ctx: Context,
  input: { readonly user: string; readonly query?: RowQuery },
): Promise<User> {
  const user = await managedUser(ctx, input.user)
  requireOperatorFor(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    if (ctx.actor.kind !== 'system') await requireAnotherOwner(tx, user)
    const where = { id: user.id, disabledAt: null }
    const { count } = await tx.user.updateMany({ where, data: { disabledAt: ctx.now() } })
    await endSessions(tx, user.id)
    if (count > 0) await recordUserChange(tx, ctx, 'user_disabled', user)
    return tx.user.findUniqueOrThrow({ where: { id: user.id }, select: selectOf(USER_VIEW, input.query) })
  })
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts) */
export async function enableUser(
  ctx: Context,
  input: { readonly user: string; readonly query?: RowQuery },
): Promise<User> {
  const user = await managedUser(ctx, input.user)
  requireOperatorFor(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    const where = { id: user.id, disabledAt: { not: null } }
    const { count } = await tx.user.updateMany({ where, data: { disabledAt: null } })
    if (count > 0) await recordUserChange(tx, ctx, 'user_enabled', user)
    return tx.user.findUniqueOrThrow({ where: { id: user.id }, select: selectOf(USER_VIEW, input.query) })
  })
}

/**
 * Marks an operator and ends their sessions and links, because another user may have opened them.
 * @throws FORBIDDEN, NOT_FOUND
 */
export async function setOperator(ctx: Context, { user, operator }: OperatorMark): Promise<User> {
  requireSystem(ctx)
  const { id } = await managedUser(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    const marked = await tx.user.update({ where: { id }, data: { operator }, select: USER_VIEW })
    await endSessions(tx, id)
    await recordUserChange(tx, ctx, operator ? 'operator_marked' : 'operator_unmarked', marked)
    return marked
  })
}

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
function requireOperatorFor(ctx: Context, { operator }: Pick<User, 'operator'>): void {
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

/** @throws INVALID_REQUEST */
async function requireAnotherOwner(tx: PrismaTx, user: Pick<User, 'id' | 'accountId'>): Promise<void> {
  if (await isLastOwner(tx, user))
    throw invalidRequest('Make another user an owner first: this is the last one of the account.', [
      { path: '/user', message: 'is the last owner' },
    ])
}

/** Locks the account, so two owners cannot disable each other at once. */
export async function isLastOwner(tx: PrismaTx, { id, accountId }: Pick<User, 'id' | 'accountId'>): Promise<boolean> {
  await lockRow(tx, 'account', accountId)
  const owners = await tx.user.findMany({
    where: { accountId, role: 'owner', disabledAt: null },
    take: 2,
    select: { id: true },
  })
  return owners.length === 1 && owners[0]?.id === id
}
