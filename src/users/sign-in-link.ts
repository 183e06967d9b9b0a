import { recordUserChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { accountDisabled, invalidRequest, ServiceError } from '../errors/service-error.ts'
import { commandLine } from '../values/program.ts'
import { hashToken, isToken, newToken, openSession } from './sessions.ts'
import { type SignedIn, type SignInContext, shortened } from './sign-in.ts'
import { managedUser } from './update-user.ts'
import { rejectFederated, USER_VIEW } from './users.ts'

export const LINK_VIEW = { hash: true, expiresAt: true } as const
const LIFETIME_MS = 15 * 60_000
export const INVITATION_LIFETIME_MS = 3 * 86_400_000
const MAX_OPEN_LINKS = 10
/** A browser never sends a fragment, so no log or proxy sees the token. */
const PAGE = '/console/enter#'

interface SignInLink {
  readonly hash: Uint8Array<ArrayBuffer>
  readonly expiresAt: Date
}

interface LinkInput {
  readonly token: string
  readonly address: string
  readonly query?: RowQuery
}

export interface SignInLinkContext extends Context {
  readonly publicUrl: string
}

export interface NewSignInLink {
  readonly url: string
  readonly expiresAt: Date
}

const usableLink = (token: string, now: Date) => ({
  ...{ hash: hashToken(token), expiresAt: { gt: now } },
  user: { disabledAt: null },
})

const throttleKey = (token: string): string => `sign-in link ${shortened(token)}`

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

/**
 * Makes a link that signs a user in once, within 15 minutes; an owner's link for a user without a password is an invitation again.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), INVALID_REQUEST for a disabled user
 */
export async function createSignInLink(
  ctx: SignInLinkContext,
  input: { readonly user: string },
): Promise<NewSignInLink> {
  const managed = await managedUser(ctx, input.user)
  const { id } = managed
  return ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'user', id)
    const { passwordHash } = await requireLinkable(ctx, tx, id)
    await recordUserChange(tx, ctx, 'sign_in_link_created', managed)
    const isInvited = passwordHash === null && ctx.actor.kind !== 'system'
    return openLink(ctx, tx, id, isInvited ? INVITATION_LIFETIME_MS : LIFETIME_MS)
  })
}

/** @throws FORBIDDEN for an operator, INVALID_REQUEST for a disabled or a federated user */
export async function requireLinkable(ctx: Context, tx: PrismaTx, id: string) {
  const select = { disabledAt: true, operator: true, passwordHash: true, oidcIssuer: true }
  const user = await tx.user.findUniqueOrThrow({ where: { id }, select })
  if (user.operator) requireSystemFor(ctx)
  if (ctx.actor.kind !== 'system') rejectFederated(ctx, user)
  if (user.disabledAt !== null) throw disabled()
  return user
}

/** The transaction has locked or written the user's row. */
export async function openLink(
  ctx: SignInLinkContext,
  tx: PrismaTx,
  userId: string,
  lifetimeMs: number,
): Promise<NewSignInLink> {
  const [token, now] = [newToken(), ctx.now()]
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  const kept = await tx.signInLink.findMany({
    where: { userId, expiresAt: { gt: now } },
    orderBy: [{ createdAt: 'desc' }, { hash: 'asc' }],
    take: MAX_OPEN_LINKS - 1,
    select: { hash: true },
  })
  await tx.signInLink.deleteMany({ where: { userId, hash: { notIn: kept.map(({ hash }) => hash) } } })
  const data = { hash: hashToken(token), userId, createdAt: now, expiresAt }
  await tx.signInLink.create({ data, select: { userId: true } })
  return { url: `${ctx.publicUrl}${PAGE}${token}`, expiresAt }
}

/** An owner would become an operator by an operator's link. @throws FORBIDDEN */
function requireSystemFor({ actor }: Context): void {
  if (actor.kind !== 'system')
    throw new ServiceError(
      'FORBIDDEN',
      `Links for operators are made at the command line: ${commandLine('users sign-in-link')}.`,
    )
}

const disabled = () =>
  invalidRequest('Enable the user first: a disabled user cannot sign in.', [{ path: '/user', message: 'is disabled' }])

/**
 * Uses a link up and opens a session. Used, expired and unknown links and disabled users give the same error.
 * @throws UNAUTHORIZED, FORBIDDEN if the account is disabled, RATE_LIMITED after a few wrong ones
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
    const select = { ...USER_VIEW, account: { select: { disabledAt: true } } }
    const { account, ...user } = await tx.user.findUniqueOrThrow({ where: { id: found.userId }, select })
    if (account.disabledAt !== null) throw accountDisabled()
    return { user, ...(await openSession(tx, user.id, null, now)) }
  })
}

const unusable = () =>
  new ServiceError('UNAUTHORIZED', 'Ask for another sign-in link: this one was used already, or has expired.')
