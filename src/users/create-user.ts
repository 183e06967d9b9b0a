import { ownerOf } from '../access/actor.ts'
import { requireConfirmation, requireSystem } from '../access/require.ts'
import type { UserRole } from '../access/scopes.ts'
import { findAccount, whoseAccount } from '../accounts/accounts.ts'
import { recordUserChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { newId } from '../values/id.ts'
import { checkPassword, hashPassword } from './password.ts'
import { INVITATION_LIFETIME_MS, type NewSignInLink, openLink, type SignInLinkContext } from './sign-in-link.ts'
import { checkEmail, emailTaken, USER_VIEW, type User } from './users.ts'

const MAX_USERS = 1000

interface NewUser {
  readonly account: string
  readonly email: string
  /** Absent: the user first signs in by a link. */
  readonly password?: string | undefined
  readonly role: UserRole
}

export interface InvitationInput {
  readonly account?: string | null | undefined
  readonly email: string
  readonly role: UserRole
}

export interface Invitation {
  readonly user: User
  readonly signInLink: NewSignInLink
}

/** @throws NOT_FOUND for an unknown account, INVALID_REQUEST for an address of the same account or a bad password */
export async function createUser(ctx: Context, input: NewUser): Promise<User> {
  requireSystem(ctx)
  const email = checkEmail(input.email)
  if (input.password !== undefined) checkPassword(input.password)
  const { id: accountId } = await findAccount(ctx, input.account)
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password)
  const row = { accountId, email, role: input.role, passwordHash }
  return ctx.db.prisma.$transaction((tx) => addUser(tx, ctx, row))
}

type NewRow = Pick<User, 'accountId' | 'email' | 'role'> & { readonly passwordHash: string | null }

/** @throws INVALID_REQUEST for an address of the same account */
export async function addUser(tx: PrismaTx, ctx: Pick<Context, 'actor' | 'now'>, row: NewRow): Promise<User> {
  const data = { id: newId('user', ctx.now()), ...row }
  const [created] = await tx.user.createManyAndReturn({ data, skipDuplicates: true, select: USER_VIEW })
  if (created === undefined) throw emailTaken(row.email)
  await recordUserChange(tx, ctx, 'user_added', created, row.role)
  return created
}

/**
 * Adds a user without a password, with a link that works for three days.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, REAUTHENTICATION_REQUIRED, INVALID_REQUEST for a bad address, one of the same account, or too many users
 */
export async function inviteUser(ctx: SignInLinkContext, input: InvitationInput): Promise<Invitation> {
  const accountId = await whoseAccount(ctx, input.account)
  if (ownerOf(ctx.actor) !== accountId) requireConfirmation(ctx)
  const email = checkEmail(input.email)
  return ctx.db.prisma.$transaction(async (tx) => {
    await requireRoom(tx, accountId)
    const user = await addUser(tx, ctx, { accountId, email, role: input.role, passwordHash: null })
    return { user, signInLink: await openLink(ctx, tx, user.id, INVITATION_LIFETIME_MS) }
  })
}

/** Locks the account. @throws INVALID_REQUEST */
export async function requireRoom(tx: PrismaTx, accountId: string): Promise<void> {
  await lockRow(tx, 'account', accountId)
  if ((await tx.user.count({ where: { accountId } })) >= MAX_USERS)
    throw invalidRequest(`Use another account: one has at most ${MAX_USERS} users.`)
}
