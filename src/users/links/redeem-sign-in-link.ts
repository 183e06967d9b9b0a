import { lockRow } from '../../db/lock-row.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { openSession } from '../open-session.ts'
import { isToken } from '../session.ts'
import type { SignedIn } from '../sign-in.ts'
import type { SignInContext } from '../sign-in-throttle.ts'
import { USER_VIEW } from '../user.ts'
import { type LinkInput, throttleKey, usableLink } from './sign-in-link.ts'

/**
 * Starts a session by a link and uses that up: of any number of requests at once, one is signed in. A link that was used, has expired
 * or never was is one error, as is that of a disabled user.
 * @throws UNAUTHORIZED, RATE_LIMITED after a few wrong ones
 */
export async function redeemSignInLink(ctx: SignInContext, { token, address }: LinkInput): Promise<SignedIn> {
  const signedIn = await ctx.signIns.attempt(throttleKey(token), address, () => redeem(ctx, token))
  if (signedIn === false) throw unusable()
  return signedIn
}

async function redeem(ctx: SignInContext, token: string): Promise<SignedIn | false> {
  const now = ctx.now()
  if (!isToken(token)) return false
  const where = usableLink(token, now)
  const found = await ctx.db.prisma.signInLink.findFirst({ where, select: { userId: true } })
  if (found === null) return false
  return ctx.db.prisma.$transaction(async (tx) => {
    // The user's row comes first, as wherever their sessions are ended: a link is not used while its user is disabled.
    await lockRow(tx, 'user', found.userId)
    if ((await tx.signInLink.deleteMany({ where })).count === 0) return false
    const user = await tx.user.findUniqueOrThrow({ where: { id: found.userId }, select: USER_VIEW })
    return { user, ...(await openSession(tx, user.id, 'link', now)) }
  })
}

const unusable = () =>
  new ServiceError('UNAUTHORIZED', 'Ask for another sign-in link: this one was used already, or has expired.')
