import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { ServiceError } from '../errors/service-error.ts'
import { newId } from '../values/id.ts'
import { verifyPassword } from './password.ts'
import { hashSessionToken, newSessionToken, SESSION_LIFETIME_MS } from './session.ts'
import type { SignInContext } from './sign-in-throttle.ts'
import { normalEmail, type User } from './user.ts'

interface SignedIn {
  readonly user: User
  /** For the browser's cookie: shown this once. */
  readonly token: string
  readonly expiresAt: Date
}

/**
 * Starts a session. A wrong password, an unknown address and a disabled user are the same error after the same work.
 * @throws UNAUTHORIZED, RATE_LIMITED after a few wrong passwords
 */
export async function signIn(
  ctx: SignInContext,
  input: { readonly email: string; readonly password: string; readonly address: string },
): Promise<SignedIn> {
  const email = normalEmail(input.email) ?? UNKNOWN_EMAIL
  const found = await ctx.signIns.attempt(email, input.address, () => verifiedUser(ctx, email, input.password))
  if (found === false) throw wrongPassword()
  const { passwordHash, ...user } = found
  const { token, expiresAt } = await openSession(ctx, user.id, passwordHash)
  return { user, token, expiresAt }
}

/** Not for a password that was changed, nor for a user that was disabled, while it was verified: their sessions have been ended. */
async function openSession(ctx: Context, userId: string, passwordHash: string): Promise<Omit<SignedIn, 'user'>> {
  const [token, now] = [newSessionToken(), ctx.now()]
  const expiresAt = new Date(now.getTime() + SESSION_LIFETIME_MS)
  const hash = Uint8Array.from(hashSessionToken(token))
  await ctx.db.prisma.session.deleteMany({ where: { userId, expiresAt: { lt: now } } })
  await ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'user', userId)
    const where = { id: userId, passwordHash, disabledAt: null }
    if ((await tx.user.findFirst({ where, select: { id: true } })) === null) throw wrongPassword()
    const data = { id: newId('ses', now), userId, hash, seenAt: now, expiresAt }
    await tx.session.create({ data, select: { id: true } })
  })
  return { token, expiresAt }
}

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
