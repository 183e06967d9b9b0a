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

/** Of one account, disabled ones included. */
const MAX_USERS = 1000

/** A user to be added. */
export interface InvitationInput {
  /** Id or name: for the operator alone. Every other caller has its own. */
  readonly account?: string | null | undefined
  /** Whatever its case: it is kept in lower case. */
  readonly email: string
  readonly role: UserRole
}

/** A user who was just added, and the link that lets them in: the one time that it is shown. */
export interface Invitation {
  readonly user: User
  readonly signInLink: NewSignInLink
}

/**
 * Adds a user without a password to an account, with a link to hand over that works for three days.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, REAUTHENTICATION_REQUIRED, INVALID_REQUEST for a bad
 *   address, one of the same account, or too many users
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
