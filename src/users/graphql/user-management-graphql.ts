import type { UserRole } from '../../access/scopes.ts'
import { builder } from '../../graphql/builder.ts'
import { queriedBy, resolvedBy, rowsOf } from '../../graphql/resolved-by.ts'
import { disableUser } from '../disable-user.ts'
import { enableUser } from '../enable-user.ts'
import { type Invitation, type InvitationInput, inviteUser } from '../invite-user.ts'
import { type UserUpdate, updateUser } from '../update-user.ts'
import { NewSignInLinkRef } from './sign-in-link-graphql.ts'
import { UserRef, UserRoleEnum } from './user-graphql.ts'

const NEEDS = "Needs the scope account:admin, or a signed-in owner; for another account's users the scope operator."
const USER = 'User id or e-mail address.'

const InvitationRef = builder.objectRef<Invitation>('Invitation').implement({
  description: 'A user who was just added.',
  fields: (t) => ({
    user: t.prismaField({ description: 'The user.', ...rowsOf(UserRef, ({ user }: Invitation) => user) }),
    signInLink: t.field({
      type: NewSignInLinkRef,
      description: 'The link to hand to the user.',
      resolve: ({ signInLink }) => signInLink,
    }),
  }),
})

builder.mutationFields((t) => ({
  inviteUser: t.field({
    type: InvitationRef,
    errors: {},
    description: `Adds a user to the account, without a password, and makes a sign-in link for them. ${NEEDS}`,
    args: {
      email: t.arg.string({ required: true, description: 'An address that no other user has.' }),
      role: t.arg({ type: UserRoleEnum, required: true, description: 'What the user may do.' }),
      account: t.arg.id({ description: "Id or name; the caller's own unless given." }),
    },
    ...resolvedBy(inviteUser, (args: InvitationInput) => args),
  }),
  updateUser: t.prismaField({
    errors: {},
    description: `Gives a user another role. The last owner of an account stays one. ${NEEDS}`,
    args: {
      user: t.arg.id({ required: true, description: USER }),
      role: t.arg({ type: UserRoleEnum, required: true, description: 'What the user may do from now on.' }),
    },
    ...queriedBy(UserRef, updateUser, (args: { user: string; role: UserRole }): UserUpdate => args),
  }),
  disableUser: t.prismaField({
    errors: {},
    description: `Keeps a user from signing in, and ends their sessions. The last owner of an account stays. ${NEEDS}`,
    args: { user: t.arg.id({ required: true, description: USER }) },
    ...queriedBy(UserRef, disableUser, (args: { user: string }) => args),
  }),
  enableUser: t.prismaField({
    errors: {},
    description: `Lets a disabled user sign in again. ${NEEDS}`,
    args: { user: t.arg.id({ required: true, description: USER }) },
    ...queriedBy(UserRef, enableUser, (args: { user: string }) => args),
  }),
}))
