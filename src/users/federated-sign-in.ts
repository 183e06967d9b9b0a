import type { UserRole } from '../access/scopes.ts'
import { findAccount } from '../accounts/accounts.ts'
import { recordUserChange } from '../audit/record-change.ts'
import type { OidcSettings } from '../context/config.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import type { Identity } from '../oidc/provider.ts'
import { addUser, requireRoom } from './create-user.ts'
import { endSessions, type OpenedSession, openSession } from './sessions.ts'
import { isLastOwner } from './update-user.ts'
import { normalEmail, USER_VIEW, type User } from './users.ts'

const HOUR_MS = 3_600_000
/** A person who is removed at the provider is out after this time. */
const LIFETIME_MS = 24 * HOUR_MS
/** The record says who gave the role. */
const BY_PROVIDER = 'by the sign-in provider'

/** Why a person whom the provider knows may not come in. */
type Refusal = 'unknown' | 'ambiguous' | 'role' | 'disabled' | 'account'

const VIEW = { ...USER_VIEW, oidcIssuer: true, oidcSubject: true, account: { select: { disabledAt: true } } } as const

interface Person {
  readonly identity: Identity
  readonly oidc: OidcSettings
  /** The account of OIDC_ACCOUNT; null: none is named. */
  readonly accountId: string | null
  /** null: the provider gives no roles. */
  readonly role: UserRole | null
}

/**
 * Opens a session for the person whom the provider has signed in. A person is known by issuer and subject; at the first sign-in an
 * e-mail address that the provider has verified finds the user who was invited with it, or a user is added to OIDC_ACCOUNT.
 */
export async function signInFederated(ctx: Context, identity: Identity): Promise<OpenedSession | Refusal> {
  const { oidc } = ctx.settings
  if (oidc === null) return 'unknown'
  const role = roleOf(oidc, identity)
  const userId = await findUser(ctx, oidc, identity)
  const accountId = await joinedAccount(ctx, oidc)
  return ctx.db.prisma.$transaction(async (tx) => {
    const person = { identity, oidc, accountId, role: role === 'none' ? null : role }
    const id = userId ?? (role === 'none' ? null : await join(tx, ctx, person))
    if (id === null) return role === 'none' ? 'role' : 'unknown'
    if (id === 'ambiguous') return id
    return enter(tx, ctx, { ...person, id, isRefused: role === 'none' })
  })
}

/** 'none': the provider gives roles, and none to this person. */
function roleOf({ roles }: OidcSettings, identity: Identity): UserRole | 'none' | null {
  if (roles === null) return null
  const held = identity.roles.flatMap((name) => roles.of.get(name) ?? [])
  return held.includes('owner') ? 'owner' : (held[0] ?? 'none')
}

/** @returns null: no user yet */
async function findUser({ db }: Context, oidc: OidcSettings, identity: Identity): Promise<string | null> {
  const where = { oidcIssuer: oidc.issuer, oidcSubject: identity.subject }
  return (await db.prisma.user.findFirst({ where, select: { id: true } }))?.id ?? null
}

/** Links the invited user, or adds one. */
async function join(tx: PrismaTx, ctx: Context, person: Person): Promise<string | 'ambiguous' | null> {
  const { identity, oidc, accountId, role } = person
  const email = identity.email === null ? null : normalEmail(identity.email)
  if (email === null || (oidc.account !== null && accountId === null)) return null
  if (accountId !== null) await lockRow(tx, 'account', accountId)
  const where = { email, ...(accountId !== null && { accountId }) }
  const find = (filter: object) =>
    tx.user.findMany({
      where: { ...where, ...filter },
      take: 2,
      select: { id: true, oidcIssuer: true, oidcSubject: true },
    })
  const invited = await find({ disabledAt: null, account: { disabledAt: null } })
  if (invited.length > 1) return 'ambiguous'
  // A disabled one says only why the person stays out.
  const found = invited[0] ?? (await find({}))[0]
  if (found !== undefined) return isOfAnother(found, person) ? null : found.id
  if (accountId === null) return null
  await requireRoom(tx, accountId)
  return (await addUser(tx, ctx, { accountId, email, role: role ?? 'member', passwordHash: null })).id
}

interface Linked {
  readonly oidcIssuer: string | null
  readonly oidcSubject: string | null
}

/** The provider has given the address to another person since. */
const isOfAnother = (user: Linked, { identity, oidc }: Person): boolean =>
  user.oidcIssuer === oidc.issuer && user.oidcSubject !== identity.subject

async function joinedAccount(ctx: Context, { account }: OidcSettings): Promise<string | null> {
  if (account === null) return null
  const found = await findAccount(ctx, account).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'NOT_FOUND') throw error
    ctx.log.error('OIDC_ACCOUNT names no account: nobody joins at a first sign-in')
    return null
  })
  return found?.id ?? null
}

interface Entering extends Person {
  readonly id: string
  /** The provider gives this person no role any more. */
  readonly isRefused: boolean
}

/** The account is locked before its user, as where owners are changed. */
async function enter(tx: PrismaTx, ctx: Context, entering: Entering): Promise<OpenedSession | Refusal> {
  const { id, identity, oidc, role, isRefused } = entering
  const { accountId } = await tx.user.findUniqueOrThrow({ where: { id }, select: { accountId: true } })
  await lockRow(tx, 'account', accountId)
  await lockRow(tx, 'user', id)
  const user = await tx.user.findUniqueOrThrow({ where: { id }, select: VIEW })
  if (isRefused) {
    await endSessions(tx, id)
    await giveRole(tx, ctx, user, 'member')
    return 'role'
  }
  if (user.disabledAt !== null) return 'disabled'
  if (user.account.disabledAt !== null) return 'account'
  if (isOfAnother(user, entering)) return 'unknown'
  if (user.oidcIssuer !== oidc.issuer) {
    // Sessions from before may be of another person, who knew the password or the link.
    await endSessions(tx, id)
    const data = { oidcIssuer: oidc.issuer, oidcSubject: identity.subject, passwordHash: null }
    await tx.user.update({ where: { id }, data, select: { id: true } })
    await recordUserChange(tx, ctx, 'user_federated', user)
  }
  if (role !== null) await giveRole(tx, ctx, user, role)
  return openSession(tx, id, identity.authenticatedAt, ctx.now(), LIFETIME_MS)
}

/** The last owner stays one. */
async function giveRole(tx: PrismaTx, ctx: Context, user: User, role: UserRole): Promise<void> {
  if (role === user.role || (role === 'member' && (await isLastOwner(tx, user)))) return
  await tx.user.update({ where: { id: user.id }, data: { role }, select: { id: true } })
  await recordUserChange(tx, ctx, 'user_role_changed', user, `${role}, ${BY_PROVIDER}`)
}
