import { type RowQuery, selectOf } from '../../db/row-query.ts'
import { hashToken, isToken } from '../session.ts'
import { type SignInContext, shortened } from '../sign-in-throttle.ts'

export const LINK_VIEW = { hash: true, expiresAt: true } as const

interface SignInLink {
  readonly hash: Uint8Array<ArrayBuffer>
  readonly expiresAt: Date
}

export interface LinkInput {
  readonly token: string
  readonly address: string
  readonly query?: RowQuery
}

export const usableLink = (token: string, now: Date) => ({
  ...{ hash: hashToken(token), expiresAt: { gt: now } },
  user: { disabledAt: null },
})

export const throttleKey = (token: string): string => `sign-in link ${shortened(token)}`

/**
 * Shows an unused link without using it up; null if it was used or has expired.
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
