import { invalidRequest } from '../errors.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { changePassword } from './change-password.ts'
import { type Me, me } from './me.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { USER_VIEW, type User, type UserRole } from './user.ts'
import { findUser, type UsersInput, users } from './users.ts'

const UserRoleEnum = describedEnum<UserRole>('UserRole', 'What a person may do for the account.', {
  owner: 'Everything, keys and webhooks included.',
  member: 'Submit and read jobs.',
})

const UserRef = builder.prismaObject('User', {
  description: 'A person who signs in.',
  interfaces: [NodeInterface],
  select: USER_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The user id.' }),
    email: t.exposeString('email', { description: 'The address to sign in with.' }),
    role: t.expose('role', { type: UserRoleEnum, description: 'What the person may do.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person was added.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when the person may not sign in; null for everybody else.',
    }),
  }),
})

addNodeSource<User>('user', { typeOf: () => 'User', load: findUser })

const MeRef = builder.objectRef<Me>('Me').implement({
  description: 'Who is signed in.',
  fields: (t) => ({
    user: t.field({ type: UserRef, description: 'The person.', resolve: ({ user }) => user }),
    accountId: t.id({ description: 'The account that the person acts for.', resolve: ({ account }) => account.id }),
    accountName: t.string({ description: 'Its name.', resolve: ({ account }) => account.name }),
    credits: t.float({ description: 'Its balance in credits.', resolve: ({ account }) => Number(account.credits) }),
  }),
})

const endingSessions = (name: string, description: string, sessions: string) =>
  builder.objectRef<{ readonly sessions: number }>(name).implement({
    description,
    fields: (t) => ({ sessions: t.exposeInt('sessions', { description: sessions }) }),
  })

const PasswordChangeRef = endingSessions(
  'ChangePasswordSuccess',
  'What a new password came to.',
  'How many other sessions of the person it ended.',
)
const SignOutRef = endingSessions(
  'SignOutSuccess',
  'What signing out came to.',
  'How many sessions it ended, this one included.',
)

builder.queryField('me', (t) =>
  t.field({
    type: MeRef,
    nullable: true,
    description: 'Who is signed in; null for nobody, and for keys.',
    ...resolvedBy(me, () => undefined),
  }),
)

builder.queryField('users', (t) =>
  t.connection(
    {
      type: UserRef,
      description:
        'The people of an account, oldest first. Needs the scope account:admin, or a signed-in owner; of another account the scope operator.',
      args: { account: t.arg.id({ description: "Id or name; the caller's own unless given." }) },
      ...resolvedBy(users, (args: UsersInput) => args),
    },
    ...connectionOf('User', 'people'),
  ),
)

builder.mutationFields((t) => ({
  signIn: t.field({
    type: UserRef,
    errors: {},
    description: 'Starts a session, kept in a cookie that scripts cannot read. Over HTTP only.',
    args: {
      email: t.arg.string({ required: true, description: 'The address.' }),
      password: t.arg.string({ required: true, description: 'The password.' }),
    },
    resolve: async (_root, args, ctx) => {
      if (ctx.cookie === null) throw invalidRequest('Sign in over HTTP: a cookie cannot be set here.')
      const { user, token, expiresAt } = await signIn(ctx, { ...args, address: ctx.address })
      ctx.cookie.set(token, expiresAt)
      return user
    },
    extensions: { verb: signIn },
  }),
  signOut: t.field({
    type: SignOutRef,
    errors: {},
    description: 'Ends the session, or every session of the person. What they hold open closes within a second.',
    args: { everywhere: t.arg.boolean({ description: 'All browsers instead of this one.' }) },
    resolve: async (_root, args, ctx) => {
      const done = await signOut(ctx, { everywhere: args.everywhere === true })
      ctx.cookie?.clear()
      return done
    },
    extensions: { verb: signOut },
  }),
  changePassword: t.field({
    type: PasswordChangeRef,
    errors: {},
    description: 'Gives the signed-in person another password, and ends all of their other sessions.',
    args: {
      currentPassword: t.arg.string({ required: true, description: 'The password until now.' }),
      newPassword: t.arg.string({ required: true, description: '12 to 256 characters.' }),
    },
    resolve: (_root, args, ctx) => changePassword(ctx, { ...args, address: ctx.address }),
    extensions: { verb: changePassword },
  }),
}))
