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

/** An attempt is compared with the passwords of so many users of an address; others sign in by a link. */
const MAX_ACCOUNTS = 3

/** The address of no user: what is too long to be one takes as much work. */
const UNKNOWN_EMAIL = ''

/**
 * The address may belong to users of several accounts: the password says which of them signs in. Each attempt verifies equally many
 * passwords, so that its duration tells nothing about other accounts.
 */
async function verifiedUser(ctx: Context, email: string, password: string) {
  const users = await findUsers(ctx, email)
  let found: (typeof users)[number] | undefined
  for (let at = 0; at < MAX_ACCOUNTS; at++)
    if (await verifyPassword(password, users[at]?.passwordHash ?? null)) found ??= users[at]
  return found ?? false
}

/** The oldest come first, so that nobody is kept out by users that others add. PostgreSQL takes no NUL in a value. */
const findUsers = async (ctx: Context, email: string) =>
  email.includes('\0')
    ? []
    : ctx.db.prisma.user.findMany({
        where: { email, disabledAt: null, passwordHash: { not: null } },
        orderBy: { id: 'asc' },
        take: MAX_ACCOUNTS,
      })

const wrongPassword = () => new ServiceError('UNAUTHORIZED', 'Check the e-mail address and the password.')
