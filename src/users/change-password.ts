import { requireSession, requireSystem } from '../access/require.ts'
import { recordUserChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest, notFound } from '../errors/service-error.ts'
import type { Invitation } from './create-user.ts'
import { checkPassword, hashPassword, verifyPassword } from './password.ts'
import { endSessions } from './sessions.ts'
import type { SignInContext } from './sign-in.ts'
import { INVITATION_LIFETIME_MS, openLink, requireLinkable, type SignInLinkContext } from './sign-in-link.ts'
import { managedUser } from './update-user.ts'
import { checkEmail, emailTaken, isEmailTaken, rejectFederated, USER_VIEW, type User } from './users.ts'

/** A user who gets a password signs in here, and no longer at the provider. */
const HERE = { oidcIssuer: null, oidcSubject: null }

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
  readonly address: string
}

interface NewPassword {
  readonly user: string
  readonly password: string
}

interface Completion {
  readonly email: string
  readonly password: string
  readonly query?: RowQuery
}

/**
 * Changes the caller's password and ends their other sessions.
 * @throws UNAUTHORIZED unless signed in, INVALID_REQUEST for a wrong or a bad password, RATE_LIMITED after a few wrong ones
 */
export async function changePassword(
  ctx: SignInContext,
  input: PasswordChange,
): Promise<{ readonly sessions: number }> {
  const { sessionId, userId } = requireSession(ctx)
  checkPassword(input.newPassword, '/newPassword')
  const user = await ctx.db.prisma.user.findUnique({
    where: { id: userId },
    select: { email: true, passwordHash: true },
  })
  if (user === null) throw notFound()
  if (user.passwordHash === null) throw noPassword()
  const right = await ctx.signIns.attempt(user.email, input.address, () =>
    verifyPassword(input.currentPassword, user.passwordHash),
  )
  if (!right) throw wrongPassword()
  const passwordHash = await hashPassword(input.newPassword)
  return ctx.db.prisma.$transaction(async (tx) => {
    // The update repeats the password that was verified, so a second change at once fails.
    const where = { id: userId, passwordHash: user.passwordHash }
    const changed = await tx.user.updateMany({ where, data: { passwordHash } })
    if (changed.count === 0) throw wrongPassword()
    await tx.session.updateMany({ where: { id: sessionId }, data: { passwordAt: ctx.now() } })
    return { sessions: await endSessions(tx, userId, sessionId) }
  })
}

const noPassword = () =>
  invalidRequest('Set your first password with completePerson: you have none yet.', [
    { path: '/currentPassword', message: 'is not there yet' },
  ])

const wrongPassword = () =>
  invalidRequest('Send the password that you sign in with now.', [
    { path: '/currentPassword', message: 'is not the current password' },
  ])

/**
 * Sets a password and ends the user's sessions. A disabled user stays disabled.
 * @throws NOT_FOUND, INVALID_REQUEST for a bad password
 */
export async function setPassword(ctx: Context, { user, password }: NewPassword): Promise<User> {
  requireSystem(ctx)
  checkPassword(password)
  const passwordHash = await hashPassword(password)
  const { id } = await managedUser(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    const changed = await tx.user.update({ where: { id }, data: { passwordHash, ...HERE }, select: USER_VIEW })
    await endSessions(tx, id)
    await recordUserChange(tx, ctx, 'password_set', changed)
    return changed
  })
}

/**
 * Takes a user's password away, ends their sessions, and makes a link by which they come and choose another, within three days.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), REAUTHENTICATION_REQUIRED, INVALID_REQUEST for the caller or a disabled user
 */
export async function resetPassword(ctx: SignInLinkContext, input: { readonly user: string }): Promise<Invitation> {
  const managed = await managedUser(ctx, input.user)
  const { id } = managed
  if (ctx.actor.kind === 'session' && ctx.actor.userId === id) throw ownPassword()
  return ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'user', id)
    await requireLinkable(ctx, tx, id)
    const user = await tx.user.update({ where: { id }, data: { passwordHash: null, ...HERE }, select: USER_VIEW })
    await endSessions(tx, id)
    await recordUserChange(tx, ctx, 'password_reset', managed)
    return { user, signInLink: await openLink(ctx, tx, id, INVITATION_LIFETIME_MS) }
  })
}

const ownPassword = () =>
  invalidRequest('Change your own password under Profile, or ask another owner for a link.', [
    { path: '/user', message: 'is the caller' },
  ])

/**
 * Gives a caller without a password an address and a password, and ends their other sessions and links.
 * @throws UNAUTHORIZED unless signed in, INVALID_REQUEST for an address in use, a bad password, or a password that is there already
 */
export async function completePerson(ctx: Context, input: Completion): Promise<User> {
  const { sessionId, userId } = requireSession(ctx)
  const email = checkEmail(input.email)
  checkPassword(input.password)
  const where = { id: userId, passwordHash: null }
  const user = await ctx.db.prisma.user.findFirst({ where, select: { oidcIssuer: true } })
  if (user === null) throw isComplete()
  rejectFederated(ctx, user)
  const passwordHash = await hashPassword(input.password)
  const complete = ctx.db.prisma.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({ where: { ...where, ...user }, data: { email, passwordHash, ...HERE } })
    if (count === 0) throw isComplete()
    await endSessions(tx, userId, sessionId)
    await tx.session.updateMany({ where: { id: sessionId }, data: { passwordAt: ctx.now() } })
    return tx.user.findUniqueOrThrow({ where: { id: userId }, select: selectOf(USER_VIEW, input.query) })
  })
  return complete.catch((error: unknown) => {
    throw isEmailTaken(error) ? emailTaken(email) : error
  })
}

const isComplete = () =>
  invalidRequest('Change your password with changePassword: you have one already.', [
    { path: '/password', message: 'is there already' },
  ])
