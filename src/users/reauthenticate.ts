import { CONFIRMATION_MS, requireSession } from '../access/require.ts'
import { invalidRequest, notFound } from '../errors/service-error.ts'
import { verifyPassword } from './password.ts'
import type { SignInContext } from './sign-in-throttle.ts'

interface PasswordAgain {
  readonly password: string
  readonly address: string
}

export interface Reauthentication {
  readonly until: Date
}

/**
 * Notes that the caller has given the password in this session.
 * @throws UNAUTHORIZED unless signed in, INVALID_REQUEST for a wrong password or without one, RATE_LIMITED after a few wrong ones
 */
export async function reauthenticate(ctx: SignInContext, input: PasswordAgain): Promise<Reauthentication> {
  const { sessionId, userId } = requireSession(ctx)
  const user = await ctx.db.prisma.user.findUnique({
    where: { id: userId },
    select: { email: true, passwordHash: true },
  })
  if (user === null) throw notFound()
  if (user.passwordHash === null) throw wrong('Set your first password with completePerson: you have none yet.')
  const right = await ctx.signIns.attempt(user.email, input.address, () =>
    verifyPassword(input.password, user.passwordHash),
  )
  if (!right) throw wrong('Send the password that you sign in with.')
  const passwordAt = ctx.now()
  // The update repeats the password that was verified.
  const where = { id: sessionId, user: { passwordHash: user.passwordHash } }
  const { count } = await ctx.db.prisma.session.updateMany({ where, data: { passwordAt } })
  if (count === 0) throw wrong('Send the password that you sign in with.')
  return { until: new Date(passwordAt.getTime() + CONFIRMATION_MS) }
}

const wrong = (message: string) => invalidRequest(message, [{ path: '/password', message: 'is not the password' }])
