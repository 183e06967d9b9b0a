import { administers } from '../access/require.ts'
import type { UserRole } from '../access/scopes.ts'
import { AccountRef } from '../accounts/account-graphql.ts'
import type { ActorView } from '../accounts/audit-entries.ts'
import { ActorRef } from '../accounts/audit-graphql.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import {
  connectionOf,
  loadedBy,
  NONE_OR_UNSEEN,
  pagedBy,
  presentedBy,
  queriedBy,
  queryOf,
  resolvedBy,
} from '../graphql/resolved-by.ts'
import { describedEnum } from '../graphql/scalars.ts'
import { OF_CALLER } from '../graphql/seen-by.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { changePassword } from './change-password.ts'
import { dismissFirstSteps } from './dismiss-first-steps.ts'
import { type EndedSession, endSession, isCurrent, openSessions } from './sessions.ts'
import { type Reauthentication, reauthenticate, signIn, signOut } from './sign-in.ts'
import {
  federatedUsers,
  findUsers,
  loadUsers,
  ME_VIEW,
  me,
  ownUser,
  readUser,
  seenUsers,
  signInProvider,
  USER_VIEW,
  type User,
  type UsersInput,
  users,
  usersWithPassword,
} from './users.ts'

export const UserRoleEnum = describedEnum<UserRole>('UserRole', 'Role of a user in an account.', {
  owner: 'The user may do everything, keys and webhooks included.',
  member: 'The user may submit and read jobs.',
})

const federated = new BatchLoader<GraphqlContext, true>(federatedUsers)
const withPassword = new BatchLoader<GraphqlContext, true>(usersWithPassword)

export const UserRef = builder.prismaObject('User', {
  description: 'User of an account, who signs in by e-mail address and password.',
  interfaces: [NodeInterface],
  select: USER_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the user.' }),
    email: t.exposeString('email', { description: 'E-mail address with which the user signs in.' }),
    role: t.expose('role', { type: UserRoleEnum, description: 'Role of the user.' }),
    operator: t.exposeBoolean('operator', {
      description: 'True if the user is an operator, which only the command line can change.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the user was added.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the user last used a session, within a minute; null before the first one.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the user was disabled; null if the user may sign in.',
    }),
    hasPassword: t.boolean({
      description: 'True if the user has set a password; without one only a sign-in link lets them in.',
      resolve: async ({ id }, _args, ctx) => (await withPassword.load(ctx, id)) === true,
    }),
    isFederated: t.boolean({
      description: 'True if the user signs in through the OpenID Connect provider, and has no password or link here.',
      resolve: async ({ id }, _args, ctx) => (await federated.load(ctx, id)) === true,
    }),
    account: t.relation('account', { type: AccountRef, description: 'Account of the user.' }),
  }),
})

const SignInProviderRef = builder.objectRef<{ readonly name: string }>('SignInProvider').implement({
  description: 'OpenID Connect provider that signs users in to the console.',
  fields: (t) => ({ name: t.exposeString('name', { description: 'Name of the provider, for the sign-in page.' }) }),
})

builder.queryField('signInProvider', (t) =>
  t.field({
    type: SignInProviderRef,
    nullable: true,
    description: 'Provider that signs users in to the console; null if there is none. Needs no key.',
    ...resolvedBy(signInProvider, () => undefined),
  }),
)

const MOST = 100

builder.prismaObjectField(AccountRef, 'users', (t) =>
  t.relation('users', {
    type: UserRef,
    nullable: true,
    description: `First ${MOST} users of the account, oldest first. Null if the caller may not list them.`,
    query: { orderBy: { id: 'asc' }, take: MOST },
    seenBy: (ctx, { id }) => administers(ctx, id),
    extensions: { length: MOST },
  }),
)

builder.prismaObjectField(AccountRef, 'userCount', (t) =>
  t.relationCount('users', {
    description: 'Number of users of the account that the caller may see.',
    where: (_args, ctx) => seenUsers(ctx),
    extensions: { [OF_CALLER]: true },
  }),
)

builder.objectField(ActorRef, 'user', (t) =>
  t.prismaField({
    description: `User as it is now. ${NONE_OR_UNSEEN}`,
    ...loadedBy(UserRef, loadUsers, ({ kind, callerId }: ActorView) => (kind === 'user' ? callerId : null)),
    extensions: { [OF_CALLER]: true },
  }),
)

addNodeSource<User>('user', {
  typeOf: () => 'User',
  idOf: ({ id }) => id,
  load: (ctx, ids, info) => findUsers(ctx, ids, queryOf(ctx, info, 'User')),
})

builder.objectField(ViewerRef, 'user', (t) =>
  t.prismaField({
    nullable: true,
    description: 'Signed-in user. Null for a key.',
    ...queriedBy(UserRef, ownUser, () => ({})),
  }),
)

const SessionRef = builder.prismaObject('Session', {
  description: 'Session of a user: a browser in which the user is signed in.',
  select: { id: true, userId: true, createdAt: true, seenAt: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the session, for `endSession`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the user signed in.' }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      description: 'Time when the session was last used, within a minute.',
    }),
    current: t.boolean({
      description: 'True if this session sent the query.',
      resolve: (session, _args, ctx) => isCurrent(ctx, session),
    }),
    user: t.relation('user', { type: UserRef, description: 'Signed-in user.' }),
  }),
})

const SESSIONS_OF = { type: SessionRef, query: (_args: object, ctx: GraphqlContext) => openSessions(ctx) }

builder.prismaObjectField(UserRef, 'sessions', (t) =>
  t.relation('sessions', {
    ...SESSIONS_OF,
    nullable: true,
    description: 'Sessions of the user, last used first; at most 100. Null to everyone but that user.',
    seenBy: ({ actor }, { id }) => actor.kind === 'session' && actor.userId === id,
    extensions: { [OF_CALLER]: true },
  }),
)

export const MeRef = builder.prismaObject('User', {
  variant: 'Me',
  description: 'Signed-in user and the account.',
  select: ME_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the user.' }),
    user: t.variant(UserRef, { description: 'Signed-in user.' }),
    sessions: t.relation('sessions', {
      ...SESSIONS_OF,
      description: 'Sessions of the user, last used first; at most 100.',
    }),
    firstStepsDismissedAt: t.expose('firstStepsDismissedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the user put the first steps of the console away; null if they are shown.',
    }),
    account: t.relation('account', { type: AccountRef, description: 'Account of the user.' }),
    accountId: t.exposeID('accountId', { description: "Id of the user's account." }),
    accountName: t.string({
      description: "Name of the user's account.",
      select: { account: { select: { name: true } } },
      resolve: ({ account }) => account.name,
    }),
    credits: t.float({
      description: 'Balance of the account in credits.',
      select: { account: { select: { credits: true } } },
      resolve: ({ account }) => Number(account.credits),
    }),
  }),
})

builder.queryField('me', (t) =>
  t.prismaField({
    nullable: true,
    description: 'Signed-in user and the account; null without a session.',
    ...queriedBy(MeRef, me, () => ({})),
  }),
)

builder.queryField('users', (t) =>
  t.connection(
    {
      type: UserRef,
      description:
        'Users of an account, oldest first. Needs the scope account:admin, or a signed-in owner; for another account the scope operator.',
      args: { account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }) },
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
  'Result of a change of password.',
  'Number of other sessions of the user that it ended.',
)
builder.objectField(PasswordChangeRef, 'me', (t) =>
  t.prismaField({
    nullable: true,
    description: 'Signed-in user, with the sessions that are left.',
    ...queriedBy(MeRef, me, () => ({})),
  }),
)

const SignOutRef = endingSessions(
  'SignOutSuccess',
  'Result of signing out.',
  'Number of sessions that it ended, this one included.',
)

builder.mutationField('dismissFirstSteps', (t) =>
  t.prismaField({
    errors: result('Signed-in user, without first steps from now on', 'the first steps stay'),
    description: 'Puts the first steps of the console away for the signed-in user, in every browser.',
    ...queriedBy(MeRef, dismissFirstSteps, () => ({})),
  }),
)

builder.mutationField('signIn', (t) =>
  t.prismaField({
    errors: result('User that signed in', 'the sign-in failed'),
    description: 'Starts a session, kept in a cookie that scripts cannot read. Over HTTP only.',
    args: {
      email: t.arg.string({ required: true, description: 'E-mail address of the user.' }),
      password: t.arg.string({ required: true, description: 'Password of the user.' }),
    },
    ...presentedBy(
      UserRef,
      async (ctx: GraphqlContext, args: { email: string; password: string }) => {
        if (ctx.cookie === null) throw invalidRequest('Sign in over HTTP: a cookie cannot be set here.')
        ctx.cookie.rejectForeign()
        const opened = await signIn(ctx, { ...args, address: ctx.address })
        ctx.cookie.set(opened.token, opened.keptUntil)
        return opened
      },
      (args: { email: string; password: string }) => args,
      readUser,
    ),
    extensions: { verb: signIn },
  }),
)

builder.mutationField('signOut', (t) =>
  t.field({
    type: SignOutRef,
    errors: result('Number of sessions that ended', 'none ended'),
    description: 'Ends this session, or every session of the user. Their open connections close within a second.',
    args: { everywhere: t.arg.boolean({ description: 'True to end all sessions of the user instead of this one.' }) },
    resolve: async (_root, args, ctx) => {
      const done = await signOut(ctx, { everywhere: args.everywhere === true })
      ctx.cookie?.clear()
      return done
    },
    extensions: { verb: signOut },
  }),
)

const EndedSessionRef = builder.objectRef<EndedSession>('EndSessionSuccess').implement({
  description: 'Session that has ended.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the session.' }),
    me: t.prismaField({
      nullable: true,
      description: 'Signed-in user, with the sessions that are left.',
      ...queriedBy(MeRef, me, () => ({})),
    }),
  }),
})

builder.mutationField('endSession', (t) =>
  t.field({
    type: EndedSessionRef,
    errors: result('Ended session', 'none was ended'),
    description: 'Ends one session of the signed-in user. Its open connections close within a second.',
    args: { id: t.arg.id({ required: true, description: 'Id of a session of `me.sessions`.' }) },
    resolve: async (_root, args, ctx) => {
      const ended = await endSession(ctx, args)
      if (ended.current) ctx.cookie?.clear()
      return ended
    },
    extensions: { verb: endSession },
  }),
)

const ReauthenticationRef = builder.objectRef<Reauthentication>('Reauthentication').implement({
  description: 'Time during which a signed-in operator may change things.',
  fields: (t) => ({
    until: t.expose('until', { type: 'DateTime', description: 'End of that time: 15 minutes from now.' }),
  }),
})

builder.mutationField('reauthenticate', (t) =>
  t.field({
    type: ReauthenticationRef,
    errors: result('Time until which the password counts', 'the password was not accepted'),
    description:
      'Gives the password again in this session. Changes by an operator need a password that was given within 15 minutes.',
    args: { password: t.arg.string({ required: true, description: 'Password of the signed-in user.' }) },
    resolve: (_root, { password }, ctx) => reauthenticate(ctx, { password, address: ctx.address }),
    extensions: { verb: reauthenticate },
  }),
)

builder.mutationField('changePassword', (t) =>
  t.field({
    type: PasswordChangeRef,
    errors: result('Number of sessions that the new password ended', 'the password stays as it is'),
    description: 'Changes the password of the signed-in user and ends all other sessions of the user.',
    args: {
      currentPassword: t.arg.string({ required: true, description: 'Current password.' }),
      newPassword: t.arg.string({ required: true, description: 'New password: 12 to 256 characters.' }),
    },
    resolve: (_root, args, ctx) => changePassword(ctx, { ...args, address: ctx.address }),
    extensions: { verb: changePassword },
  }),
)
