import type { UserRole } from '../access/scopes.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { loadedBy, presentedBy, queriedBy, resolvedBy } from '../graphql/resolved-by.ts'
import { completePerson, resetPassword } from './change-password.ts'
import { type Invitation, type InvitationInput, inviteUser } from './create-user.ts'
import { createSignInLink, LINK_VIEW, type NewSignInLink, redeemSignInLink, signInLink } from './sign-in-link.ts'
import { disableUser, enableUser, type UserUpdate, updateUser } from './update-user.ts'
import { UserRef, UserRoleEnum } from './user-graphql.ts'
import { loadUsers, readUser } from './users.ts'

const NewSignInLinkRef = builder.objectRef<NewSignInLink>('NewSignInLink').implement({
  description: 'New link that signs a user in, once.',
  fields: (t) => ({
    url: t.expose('url', { type: 'URL', description: 'URL to hand to the user; it cannot be read again.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time when the link stops working.' }),
  }),
})

const SignInLinkRef = builder.prismaObject('SignInLink', {
  description: 'Sign-in link that has not been used yet.',
  select: LINK_VIEW,
  fields: (t) => ({
    email: t.string({
      description: 'E-mail address of the user whom the link signs in.',
      select: { user: { select: { email: true } } },
      resolve: ({ user }) => user.email,
    }),
    account: t.string({
      description: "Name of the user's account.",
      select: { user: { select: { account: { select: { name: true } } } } },
      resolve: ({ user }) => user.account.name,
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time when the link stops working.' }),
  }),
})

const NEEDS = "Needs the scope account:admin, or a signed-in owner; for another account's users the scope operator."
const USER = 'Id or e-mail address of a user.'
const TOKEN = 'Token of the link: what follows `#` in its URL.'

builder.queryField('signInLink', (t) =>
  t.prismaField({
    nullable: true,
    description: 'Sign-in link by its token, without using it up; null if it was used or has expired. By POST only.',
    args: { token: t.arg.string({ required: true, description: TOKEN }) },
    ...queriedBy(SignInLinkRef, signInLink, ({ token }: { token: string }, ctx) => {
      rejectInAddress(ctx)
      return { token, address: ctx.address }
    }),
  }),
)

/** Logs and histories keep addresses. @throws INVALID_REQUEST */
function rejectInAddress({ isInAddress }: GraphqlContext): void {
  if (isInAddress) throw invalidRequest('Send this query by POST: addresses are kept, and this token signs in.')
}

builder.mutationFields((t) => ({
  createSignInLink: t.field({
    type: NewSignInLinkRef,
    errors: result('New sign-in link', 'none was made'),
    description:
      "Makes a link that signs a user of the account in, once: within 15 minutes, or within three days if the user has no password. Needs the scope account:admin, or a signed-in owner; for another account's users the scope operator.",
    args: { user: t.arg.id({ required: true, description: 'Id or e-mail address of a user.' }) },
    ...resolvedBy(createSignInLink, (args: { user: string }) => args),
  }),
  redeemSignInLink: t.prismaField({
    errors: result('User that the link signed in', 'the link did not sign in'),
    description:
      'Starts a session by a sign-in link and uses it up. The session is kept as signIn keeps it. Over HTTP only.',
    args: { token: t.arg.string({ required: true, description: TOKEN }) },
    ...presentedBy(
      UserRef,
      async (ctx: GraphqlContext, { token }: { token: string }) => {
        if (ctx.cookie === null) throw invalidRequest('Sign in over HTTP: a cookie cannot be set here.')
        ctx.cookie.rejectForeign()
        const opened = await redeemSignInLink(ctx, { token, address: ctx.address })
        ctx.cookie.set(opened.token, opened.keptUntil)
        return opened
      },
      (args: { token: string }) => args,
      readUser,
    ),
    extensions: { verb: redeemSignInLink },
  }),
  completePerson: t.prismaField({
    errors: result('User with the new address and password', 'both stay as they are'),
    description:
      'Gives the signed-in user, who came by a link and has no password yet, an address and a password of their own. Their other sessions and links end.',
    args: {
      email: t.arg.string({ required: true, description: 'E-mail address with which the user signs in from now on.' }),
      password: t.arg.string({ required: true, description: 'New password: 12 to 256 characters.' }),
    },
    ...queriedBy(UserRef, completePerson, (args: { email: string; password: string }) => args),
  }),
}))

const InvitationRef = builder.objectRef<Invitation>('Invitation').implement({
  description: 'User without a password, with a link to sign in.',
  fields: (t) => ({
    user: t.prismaField({
      description: 'User whom the link signs in.',
      ...loadedBy(UserRef, loadUsers, ({ user }: Invitation) => user.id),
      nullable: false,
    }),
    signInLink: t.field({
      type: NewSignInLinkRef,
      description: 'Link to hand to the user.',
      resolve: ({ signInLink }) => signInLink,
    }),
  }),
})

builder.mutationFields((t) => ({
  inviteUser: t.field({
    type: InvitationRef,
    errors: result('Added user with a link to sign in', 'no user was added'),
    description: `Adds a user to the account, without a password, and makes a sign-in link for them. ${NEEDS}`,
    args: {
      email: t.arg.string({ required: true, description: 'E-mail address that no other user has.' }),
      role: t.arg({ type: UserRoleEnum, required: true, description: 'Role of the user: what the user may do.' }),
      account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
    },
    ...resolvedBy(inviteUser, (args: InvitationInput) => args),
  }),
  resetPassword: t.field({
    type: InvitationRef,
    errors: result('User with a link to choose another password', 'the password stays as it is'),
    description: `Takes the password of a user away, ends their sessions, and makes a link that lets them in once, within three days, to choose another. ${NEEDS}`,
    args: { user: t.arg.id({ required: true, description: USER }) },
    ...resolvedBy(resetPassword, (args: { user: string }) => args),
  }),
}))

builder.mutationFields((t) => ({
  updateUser: t.prismaField({
    errors: result('Changed user', "the user's role stays as it is"),
    description: `Gives a user another role. The last owner of an account stays one. ${NEEDS}`,
    args: {
      user: t.arg.id({ required: true, description: USER }),
      role: t.arg({ type: UserRoleEnum, required: true, description: 'Role of the user from now on.' }),
    },
    ...queriedBy(UserRef, updateUser, (args: { user: string; role: UserRole }): UserUpdate => args),
  }),
  disableUser: t.prismaField({
    errors: result('Disabled user', 'the user may still sign in'),
    description: `Keeps a user from signing in, and ends their sessions. The last owner of an account stays. ${NEEDS}`,
    args: { user: t.arg.id({ required: true, description: USER }) },
    ...queriedBy(UserRef, disableUser, (args: { user: string }) => args),
  }),
  enableUser: t.prismaField({
    errors: result('Enabled user', 'the user stays disabled'),
    description: `Lets a disabled user sign in again. ${NEEDS}`,
    args: { user: t.arg.id({ required: true, description: USER }) },
    ...queriedBy(UserRef, enableUser, (args: { user: string }) => args),
  }),
}))
