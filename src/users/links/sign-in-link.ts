import { type RowQuery, selectOf } from '../../db/row-query.ts'
import { hashToken, isToken } from '../session.ts'
import { type SignInContext, shortened } from '../sign-in-throttle.ts'

export const LINK_VIEW = { hash: true, expiresAt: true } as const

/** A link that has not been used yet. Its `hash` is the token's. */
interface SignInLink {
  readonly hash: Uint8Array<ArrayBuffer>
  readonly expiresAt: Date
}

/** A link as its holder presents it. */
export interface LinkInput {
  readonly token: string
  /** Where the request comes from: wrong tokens are counted as wrong passwords are. */
  readonly address: string
  readonly query?: RowQuery
}

/** Matches the link of a token that signs an enabled user in at this time. */
export const usableLink = (token: string, now: Date) => ({
  ...{ hash: hashToken(token), expiresAt: { gt: now } },
  user: { disabledAt: null },
})

/** Which of the throttle's counters a token is counted by, next to its address. */
export const throttleKey = (token: string): string => `sign-in link ${shortened(token)}`

/**
 * The user that a link would sign in, for a page that asks before it does: nothing is used up. null where the link was used, has expired, or
 * never was.
 * @throws RATE_LIMITED after a few wrong ones
 */
export async function signInLink(ctx: SignInContext, { token, address, query }: LinkInput): Promise<SignInLink | null> {
  const find = async () => {
    if (!isToken(token)) return false
    const where = usableLink(token, ctx.now())
    return (await ctx.db.prisma.signInLink.findFirst({ where, select: selectOf(LINK_VIEW, query) })) ?? false
  }
  const found = await ctx.signIns.attempt(throttleKey(token), address, find)
  return found === false ? null : found
}
