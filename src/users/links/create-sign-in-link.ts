import { recordUserChange } from '../../audit/record-user-change.ts'
import type { Context } from '../../context/context.ts'
import type { PrismaTx } from '../../db/database.ts'
import { lockRow } from '../../db/lock-row.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { commandLine } from '../../values/command-line.ts'
import { managedUser } from '../managed-user.ts'
import { hashToken, newToken } from '../session.ts'

const LIFETIME_MS = 15 * 60_000
export const INVITATION_LIFETIME_MS = 3 * 86_400_000
const MAX_OPEN_LINKS = 10
/** A browser never sends a fragment, so no log or proxy sees the token. */
const PAGE = '/console/enter#'

export interface SignInLinkContext extends Context {
  readonly publicUrl: string
}

export interface NewSignInLink {
  readonly url: string
  readonly expiresAt: Date
}

/**
 * Makes a link that signs a user in once, within 15 minutes.
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
    const user = await tx.user.findUniqueOrThrow({ where: { id }, select: { disabledAt: true, operator: true } })
    if (user.operator) requireSystemFor(ctx)
    if (user.disabledAt !== null) throw disabled()
    await recordUserChange(tx, ctx, 'sign_in_link_created', managed)
    return openLink(ctx, tx, id)
  })
}

/** The transaction has locked or written the user's row. */
export async function openLink(
  ctx: SignInLinkContext,
  tx: PrismaTx,
  userId: string,
  lifetimeMs = LIFETIME_MS,
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
