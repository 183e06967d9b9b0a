import type { UserRole } from '../access/scopes.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, queriedBy, queryOf, rowsOf } from '../graphql/resolved-by.ts'
import { describedEnum } from '../graphql/scalars.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { changePassword } from './change-password.ts'
import { type EndedSession, endSession, isCurrent, openSessions } from './sessions.ts'
import { type Reauthentication, reauthenticate, signIn, signOut } from './sign-in.ts'
import {
  findUser,
  ME_VIEW,
  me,
  ownUser,
  USER_VIEW,
  type User,
  type UsersInput,
  users,
  usersWithPassword,
} from './users.ts'

export const UserRoleEnum = describedEnum<UserRole>('UserRole', 'The role of a user in an account.', {
  owner: 'Everything, keys and webhooks included.',
  member: 'Submit and read jobs.',
})

const withPassword = new BatchLoader<GraphqlContext, true>(usersWithPassword)

export const UserRef = builder.prismaObject('User', {
  description: 'A user of an account, with an e-mail address and a password.',
  interfaces: [NodeInterface],
  select: USER_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The user id.' }),
    email: t.exposeString('email', { description: 'The address to sign in with.' }),
    role: t.expose('role', { type: UserRoleEnum, description: 'The role of the user.' }),
    operator: t.exposeBoolean('operator', { description: 'Whether the command line has made the user an operator.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user was added.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user last used a session, within a minute; null before the first one.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user was disabled; null for users who may sign in.',
    }),
    hasPassword: t.boolean({
      description: 'Whether the user has set a password; without one only a sign-in link lets them in.',
      resolve: async ({ id }, _args, ctx) => (await withPassword.load(ctx, id)) === true,
    }),
  }),
})

addNodeSource<User>('user', {
  typeOf: () => 'User',
  load: (ctx, id, info) => findUser(ctx, id, queryOf(ctx, info, 'User')),
})

builder.objectField(ViewerRef, 'user', (t) =>
  t.prismaField({
    nullable: true,
    description: 'The user who is signed in. Null for a key.',
    ...queriedBy(UserRef, ownUser, () => ({})),
  }),
)

const SessionRef = builder.prismaObject('Session', {
  description: 'A browser that the user is signed in with.',
  select: { id: true, createdAt: true, seenAt: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The session id: with it endSession ends it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user signed in.' }),
    seenAt: t.expose('seenAt', { type: 'DateTime', description: 'When it was last used, within a minute.' }),
    current: t.boolean({
      description: 'Whether it is the one that asks.',
      resolve: (session, _args, ctx) => isCurrent(ctx, session),
    }),
  }),
})

const MeRef = builder.prismaObject('User', {
  variant: 'Me',
  description: 'The signed-in user and the account.',
  select: ME_VIEW,
  fields: (t) => ({
    user: t.variant(UserRef, { description: 'The user.' }),
    sessions: t.relation('sessions', {
      type: SessionRef,
      description: 'Where the user is signed in, the last used first: at most 100.',
      query: (_args, ctx) => openSessions(ctx),
    }),
    accountId: t.exposeID('accountId', { description: 'The account of the user.' }),
    accountName: t.string({
      description: 'Its name.',
      select: { account: { select: { name: true } } },
      resolve: ({ account }) => account.name,
    }),
    credits: t.float({
      description: 'Its balance in credits.',
      select: { account: { select: { credits: true } } },
      resolve: ({ account }) => Number(account.credits),
    }),
  }),
})

builder.queryField('me', (t) =>
  t.prismaField({
    nullable: true,
    description: 'The signed-in user; null without a session.',
    ...queriedBy(MeRef, me, () => ({})),
  }),
)

builder.queryField('users', (t) =>
  t.connection(
    {
      type: UserRef,
      description:
        'The users of an account, oldest first. Needs the scope account:admin, or a signed-in owner; of another account the scope operator.',
      args: { account: t.arg.id({ description: "Id or name; the caller's own unless given." }) },
      ...pagedBy('User', users, (args: UsersInput) => args),
    },
    ...connectionOf('User', 'users'),
  ),
)

const endingSessions = (name: string, description: string, sessions: string) =>
  builder.objectRef<{ readonly sessions: number }>(name).implement({
    description,
    fields: (t) => ({ sessions: t.exposeInt('sessions', { description: sessions }) }),
  })

const PasswordChangeRef = endingSessions(
  'ChangePasswordSuccess',
  'The result of a change of password.',
  'How many other sessions of the user it ended.',
)
const SignOutRef = endingSessions(
  'SignOutSuccess',
  'The result of signing out.',
  'How many sessions it ended, this one included.',
)

builder.mutationField('signIn', (t) =>
  t.prismaField({
    errors: {},
    description: 'Starts a session, kept in a cookie that scripts cannot read. Over HTTP only.',
    args: {
      email: t.arg.string({ required: true, description: 'The address.' }),
      password: t.arg.string({ required: true, description: 'The password.' }),
    },
    ...rowsOf(UserRef, async (_root: object, ctx, args: { email: string; password: string }) => {
      if (ctx.cookie === null) throw invalidRequest('Sign in over HTTP: a cookie cannot be set here.')
      ctx.cookie.rejectForeign()
      const { user, token, keptUntil } = await signIn(ctx, { ...args, address: ctx.address })
      ctx.cookie.set(token, keptUntil)
      return user
    }),
    extensions: { verb: signIn },
  }),
)

builder.mutationField('signOut', (t) =>
  t.field({
    type: SignOutRef,
    errors: {},
    description: 'Ends the session, or every session of the user. Their open connections close within a second.',
    args: { everywhere: t.arg.boolean({ description: 'All browsers instead of this one.' }) },
    resolve: async (_root, args, ctx) => {
      const done = await signOut(ctx, { everywhere: args.everywhere === true })
      ctx.cookie?.clear()
      return done
    },
    extensions: { verb: signOut },
  }),
)

const EndedSessionRef = builder.objectRef<EndedSession>('EndSessionSuccess').implement({
  description: 'A session that has ended.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id of the session.' }) }),
})

builder.mutationField('endSession', (t) =>
  t.field({
    type: EndedSessionRef,
    errors: {},
    description: 'Ends one session of the signed-in user. Its open connections close within a second.',
    args: { id: t.arg.id({ required: true, description: 'A session id of `me.sessions`.' }) },
    resolve: async (_root, args, ctx) => {
      const ended = await endSession(ctx, args)
      if (ended.current) ctx.cookie?.clear()
      return ended
    },
    extensions: { verb: endSession },
  }),
)

const ReauthenticationRef = builder.objectRef<Reauthentication>('Reauthentication').implement({
  description: 'For how long a signed-in operator may change things.',
  fields: (t) => ({ until: t.expose('until', { type: 'DateTime', description: '15 minutes from now.' }) }),
})

builder.mutationField('reauthenticate', (t) =>
  t.field({
    type: ReauthenticationRef,
    errors: {},
    description: 'Gives the password again in this session: what an operator changes asks for it after 15 minutes.',
    args: { password: t.arg.string({ required: true, description: 'The password of the signed-in user.' }) },
    resolve: (_root, { password }, ctx) => reauthenticate(ctx, { password, address: ctx.address }),
    extensions: { verb: reauthenticate },
  }),
)

builder.mutationField('changePassword', (t) =>
  t.field({
    type: PasswordChangeRef,
    errors: {},
    description: 'Changes the password of the signed-in user and ends all other sessions of the user.',
    args: {
      currentPassword: t.arg.string({ required: true, description: 'The current password.' }),
      newPassword: t.arg.string({ required: true, description: '12 to 256 characters.' }),
    },
    resolve: (_root, args, ctx) => changePassword(ctx, { ...args, address: ctx.address }),
    extensions: { verb: changePassword },
  }),
)
