import type { PrismaTx } from '../../db/database.ts'
import { hashToken, isToken } from '../session.ts'
import { type SignInContext, shortened } from '../sign-in-throttle.ts'

/** A link that has not been used yet. */
export interface SignInLink {
  /** The user that it signs in. */
  readonly email: string
  /** The name of the user's account. */
  readonly account: string
  readonly expiresAt: Date
}

/** A link as its holder presents it. */
export interface LinkInput {
  readonly token: string
  /** Where the request comes from: wrong tokens are counted as wrong passwords are. */
  readonly address: string
}

/** Finds the user of a token that is good, without using it up; false where it was used, has expired, or never was. */
export async function findLink(db: Pick<PrismaTx, 'signInLink'>, token: string, now: Date) {
  if (!isToken(token)) return false
  const found = await db.signInLink.findFirst({
    where: { hash: hashToken(token), expiresAt: { gt: now }, user: { disabledAt: null } },
    select: { expiresAt: true, user: { select: { id: true, email: true, account: { select: { name: true } } } } },
  })
  return found ?? false
}

/** Which of the throttle's counters a token is counted by, next to its address. */
export const throttleKey = (token: string): string => `sign-in link ${shortened(token)}`

/**
 * The user that a link would sign in, for a page that asks before it does: nothing is used up. null where the link was used, has expired, or
 * never was.
 * @throws RATE_LIMITED after a few wrong ones
 */
export async function signInLink(ctx: SignInContext, { token, address }: LinkInput): Promise<SignInLink | null> {
  const work = () => findLink(ctx.db.prisma, token, ctx.now())
  const found = await ctx.signIns.attempt(throttleKey(token), address, work)
  return found === false ? null : { ...found, email: found.user.email, account: found.user.account.name }
}
