import { ownerOf } from '../access/actor.ts'
import { requireConfirmation } from '../access/require.ts'
import type { UserRole } from '../access/scopes.ts'
import { whoseAccount } from '../accounts/whose-account.ts'
import { lockRow } from '../db/lock-row.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { addUser } from './create-user.ts'
import {
  INVITATION_LIFETIME_MS,
  type NewSignInLink,
  openLink,
  type SignInLinkContext,
} from './links/create-sign-in-link.ts'
import { checkEmail, type User } from './user.ts'

const MAX_USERS = 1000

export interface InvitationInput {
  readonly account?: string | null | undefined
  readonly email: string
  readonly role: UserRole
}

export interface Invitation {
  readonly user: User
  readonly signInLink: NewSignInLink
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
    await lockRow(tx, 'account', accountId)
    if ((await tx.user.count({ where: { accountId } })) >= MAX_USERS)
      throw invalidRequest(`Use another account: one has at most ${MAX_USERS} users.`)
    const user = await addUser(tx, ctx, { accountId, email, role: input.role, passwordHash: null })
    return { user, signInLink: await openLink(ctx, tx, user.id, INVITATION_LIFETIME_MS) }
  })
}
