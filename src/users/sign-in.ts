import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { ServiceError } from '../errors/service-error.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { verifyPassword } from './password.ts'
import { type SignInContext, shortened } from './sign-in-throttle.ts'
import { normalEmail, type User } from './user.ts'

/** A user and the session that was just opened for them. */
export interface SignedIn extends OpenedSession {
  readonly user: User
}

/**
 * Starts a session. A wrong password, an unknown address and a disabled user are the same error after the same work.
 * @throws UNAUTHORIZED, RATE_LIMITED after a few wrong passwords
 */
export async function signIn(
  ctx: SignInContext,
  input: { readonly email: string; readonly password: string; readonly address: string },
): Promise<SignedIn> {
  const email = normalEmail(input.email)
  // What is too long to be an address is no user's, and is counted by itself all the same.
  const counted = email ?? `too long: ${shortened(input.email)}`
  const work = () => verifiedUser(ctx, email ?? UNKNOWN_EMAIL, input.password)
  const found = await ctx.signIns.attempt(counted, input.address, work)
  if (found === false) throw wrongPassword()
  const { passwordHash, ...user } = found
  return { user, ...(await openUnlessChanged(ctx, user.id, passwordHash)) }
}

/** Not for a password that was changed, nor for a user that was disabled, while it was verified: their sessions have been ended. */
const openUnlessChanged = (ctx: Context, userId: string, passwordHash: string | null): Promise<OpenedSession> =>
  ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'user', userId)
    const where = { id: userId, passwordHash, disabledAt: null }
    if ((await tx.user.findFirst({ where, select: { id: true } })) === null) throw wrongPassword()
    return openSession(tx, userId, 'password', ctx.now())
  })

/** The address of no user: what is too long to be one takes as much work. */
const UNKNOWN_EMAIL = ''

async function verifiedUser(ctx: Context, email: string, password: string) {
  const found = await findUser(ctx, email)
  const isRight = await verifyPassword(password, found?.disabledAt === null ? found.passwordHash : null)
  return isRight && found !== null && found
}

/** PostgreSQL takes no NUL in a value: an address with one is no user's. */
const findUser = (ctx: Context, email: string) =>
  email.includes('\0') ? Promise.resolve(null) : ctx.db.prisma.user.findUnique({ where: { email } })

const wrongPassword = () => new ServiceError('UNAUTHORIZED', 'Check the e-mail address and the password.')
