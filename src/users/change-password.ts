import { requireSession } from '../access/require.ts'
import { invalidRequest, notFound } from '../errors/service-error.ts'
import { endSessions } from './end-sessions.ts'
import { checkPassword, hashPassword, verifyPassword } from './password.ts'
import type { SignInContext } from './sign-in-throttle.ts'

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
  readonly address: string
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
