import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { ServiceError } from '../errors/service-error.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { verifyPassword } from './password.ts'
import { type SignInContext, shortened } from './sign-in-throttle.ts'
import { normalEmail, type User } from './user.ts'

export interface SignedIn extends OpenedSession {
  readonly user: User
}

/**
 * Opens a session. A wrong password, an unknown address and a disabled user give the same error after the same work.
 * @throws UNAUTHORIZED, RATE_LIMITED after a few wrong passwords
 */
export async function signIn(
  ctx: SignInContext,
  input: { readonly email: string; readonly password: string; readonly address: string },
): Promise<SignedIn> {
  const email = normalEmail(input.email)
  const counted = email ?? `too long: ${shortened(input.email)}`
  const work = () => verifiedUser(ctx, email ?? UNKNOWN_EMAIL, input.password)
  const found = await ctx.signIns.attempt(counted, input.address, work)
  if (found === false) throw wrongPassword()
  const { passwordHash, ...user } = found
  return { user, ...(await openUnlessChanged(ctx, user.id, passwordHash)) }
}

/** The transaction checks again, because the user may have been disabled or have changed the password meanwhile. */
const openUnlessChanged = (ctx: Context, userId: string, passwordHash: string | null): Promise<OpenedSession> =>
  ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'user', userId)
    const where = { id: userId, passwordHash, disabledAt: null }
    if ((await tx.user.findFirst({ where, select: { id: true } })) === null) throw wrongPassword()
    return openSession(tx, userId, 'password', ctx.now())
  })

const MAX_ACCOUNTS = 3

const UNKNOWN_EMAIL = ''

/** Each attempt verifies equally many passwords, so its duration tells nothing about other accounts. */
async function verifiedUser(ctx: Context, email: string, password: string) {
  const users = await findUsers(ctx, email)
  let found: (typeof users)[number] | undefined
  for (let at = 0; at < MAX_ACCOUNTS; at++)
    if (await verifyPassword(password, users[at]?.passwordHash ?? null)) found ??= users[at]
  return found ?? false
}

/** Oldest first, so nobody is kept out by users that others add. */
const findUsers = async (ctx: Context, email: string) =>
  email.includes('\0')
    ? []
    : ctx.db.prisma.user.findMany({
        where: { email, disabledAt: null, passwordHash: { not: null } },
        orderBy: { id: 'asc' },
        take: MAX_ACCOUNTS,
      })

const wrongPassword = () => new ServiceError('UNAUTHORIZED', 'Check the e-mail address and the password.')
