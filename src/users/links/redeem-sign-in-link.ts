import { lockRow } from '../../db/lock-row.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { openSession } from '../open-session.ts'
import { isToken } from '../session.ts'
import type { SignedIn } from '../sign-in.ts'
import type { SignInContext } from '../sign-in-throttle.ts'
import { USER_VIEW } from '../user.ts'
import { type LinkInput, throttleKey, usableLink } from './sign-in-link.ts'

/**
 * Uses a link up and opens a session. Used, expired and unknown links and disabled users give the same error.
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
    // The user's row is locked first, as when sessions are ended, so a user who is being disabled cannot use a link.
    await lockRow(tx, 'user', found.userId)
    if ((await tx.signInLink.deleteMany({ where })).count === 0) return false
    const user = await tx.user.findUniqueOrThrow({ where: { id: found.userId }, select: USER_VIEW })
    return { user, ...(await openSession(tx, user.id, 'link', now)) }
  })
}

const unusable = () =>
  new ServiceError('UNAUTHORIZED', 'Ask for another sign-in link: this one was used already, or has expired.')
