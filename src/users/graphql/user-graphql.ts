import type { UserRole } from '../../access/scopes.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { connectionOf } from '../../graphql/connection.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { queryOf } from '../../graphql/query-of.ts'
import { pagedBy, queriedBy } from '../../graphql/resolved-by.ts'
import { ME_VIEW, me } from '../me.ts'
import { isCurrent, openSessions } from '../open-sessions.ts'
import { USER_VIEW, type User } from '../user.ts'
import { findUser, type UsersInput, users, usersWithPassword } from '../users.ts'

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
