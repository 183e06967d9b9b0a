import {
  AccountRef,
  LIMIT_SHARE,
  limitShareOf,
  MAX_RUNNING,
  MONTHLY_LIMIT,
  RUNNING_JOBS,
  runningOf,
  seesAccountOf,
  USED_THIS_MONTH,
  usageOf,
} from '../accounts/account-graphql.ts'
import type { ActorView } from '../accounts/audit-entries.ts'
import { ActorRef } from '../accounts/audit-graphql.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import {
  connectionOf,
  loadedBy,
  NONE_OR_UNSEEN,
  pagedBy,
  queriedBy,
  queryOf,
  resolvedBy,
  USE_ID,
} from '../graphql/resolved-by.ts'
import { OF_CALLER } from '../graphql/seen-by.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { JobInterface } from '../jobs/graphql/job-graphql.ts'
import type { Job } from '../jobs/job-shape.ts'
import { MeRef, UserRef } from '../users/user-graphql.ts'
import { seesUser } from '../users/users.ts'
import {
  type ApiKeysInput,
  type ApiKeyView,
  apiKeys,
  findApiKeys,
  type GrantableScope,
  grantableScopes,
  KEY_VIEW,
  loadKeys,
  ownApiKey,
  seenKeys,
} from './api-keys.ts'
import {
  type ApiKeyChange,
  type ApiKeyInput,
  createApiKey,
  deleteApiKey,
  type NewApiKey,
  updateApiKey,
} from './change-api-key.ts'

const HINT = 'Last four characters of the key, to recognise it by; null for keys from before they were kept.'
const LAST_USED =
  'Time of the last request with the key, within a minute; null if there was none since this time is kept.'
const SET_BY = 'Callers who manage keys set it; the limit of the account holds as well.'

export const ApiKeyRef = builder.prismaObject('ApiKey', {
  description: 'API key of an account, without its value.',
  interfaces: [NodeInterface],
  select: KEY_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the key.' }),
    name: t.exposeString('name', { description: 'Name of the key.' }),
    scopes: t.exposeStringList('scopes', { description: 'Scopes of the key: what it may do.' }),
    hint: t.exposeString('hint', { nullable: true, description: HINT }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the key stops working; null if it never does.',
    }),
    monthlyLimit: t.float({
      nullable: true,
      description: `${MONTHLY_LIMIT} ${SET_BY}`,
      resolve: ({ monthlyLimit }) => (monthlyLimit === null ? null : Number(monthlyLimit)),
    }),
    usedThisMonth: t.float({ description: USED_THIS_MONTH, resolve: usageOf }),
    limitShare: t.float({ nullable: true, description: LIMIT_SHARE, resolve: limitShareOf }),
    maxRunning: t.exposeInt('maxRunning', { nullable: true, description: `${MAX_RUNNING} ${SET_BY}` }),
    runningJobs: t.int({ description: RUNNING_JOBS, resolve: runningOf }),
    createdBy: t.relation('createdBy', {
      type: UserRef,
      nullable: true,
      description: `User who made the key. ${NONE_OR_UNSEEN}`,
      seenBy: (ctx, { createdById: id, accountId }) => id !== null && seesUser(ctx, { id, accountId }),
      extensions: { [OF_CALLER]: true },
    }),
    account: t.relation('account', {
      type: AccountRef,
      nullable: true,
      description: 'Account that the key acts for. Null if the caller may not read it.',
      seenBy: seesAccountOf,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the key was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: LAST_USED,
    }),
  }),
})

const NEWEST = 100
const newestSeen = (_args: object, ctx: GraphqlContext) => ({
  where: seenKeys(ctx),
  orderBy: { id: 'desc' as const },
  take: NEWEST,
})
const KEYS_OF = {
  type: ApiKeyRef,
  query: newestSeen,
  extensions: { length: NEWEST, [OF_CALLER]: true },
}

builder.prismaObjectField(AccountRef, 'apiKeys', (t) =>
  t.relation('apiKeys', {
    ...KEYS_OF,
    description: 'Newest 100 keys of the account, newest first; to a caller that may not list keys its own key alone.',
  }),
)

builder.prismaObjectField(UserRef, 'apiKeys', (t) =>
  t.relation('apiKeys', {
    ...KEYS_OF,
    description: 'Newest 100 keys that the user has made and the caller may see, newest first.',
  }),
)

builder.prismaObjectField(MeRef, 'apiKeys', (t) =>
  t.relation('apiKeys', {
    ...KEYS_OF,
    description: 'Newest 100 keys that the user has made and may see, newest first.',
  }),
)

const COUNT_OF = { where: (_args: object, ctx: GraphqlContext) => seenKeys(ctx), extensions: { [OF_CALLER]: true } }

builder.prismaObjectField(AccountRef, 'apiKeyCount', (t) =>
  t.relationCount('apiKeys', { ...COUNT_OF, description: 'Number of keys of the account that the caller may see.' }),
)

builder.prismaObjectField(UserRef, 'apiKeyCount', (t) =>
  t.relationCount('apiKeys', {
    ...COUNT_OF,
    description: 'Number of keys that the user has made and the caller may see.',
  }),
)

builder.interfaceField(JobInterface, 'apiKey', (t) =>
  t.prismaField({
    description: `Key that the job was submitted with. ${NONE_OR_UNSEEN}`,
    ...loadedBy(ApiKeyRef, loadKeys, ({ apiKeyId }: Job) => apiKeyId),
    extensions: { [OF_CALLER]: true },
  }),
)

builder.objectField(ActorRef, 'apiKey', (t) =>
  t.prismaField({
    description: `Key as it is now. ${NONE_OR_UNSEEN}`,
    ...loadedBy(ApiKeyRef, loadKeys, ({ kind, callerId }: ActorView) => (kind === 'key' ? callerId : null)),
    extensions: { [OF_CALLER]: true },
  }),
)

addNodeSource<ApiKeyView>('key', {
  typeOf: () => 'ApiKey',
  idOf: ({ id }) => id,
  load: (ctx, ids, info) => findApiKeys(ctx, ids, queryOf(ctx, info, 'ApiKey')),
})

builder.objectField(ViewerRef, 'apiKey', (t) =>
  t.prismaField({
    nullable: true,
    description: 'API key of the caller; null for a signed-in user.',
    ...queriedBy(ApiKeyRef, ownApiKey, () => ({})),
  }),
)

const NewApiKeyRef = builder.objectRef<NewApiKey>('NewApiKey').implement({
  description: 'New API key.',
  fields: (t) => ({
    apiKeyId: t.exposeID('apiKeyId', { description: 'Id of the key.' }),
    apiKey: t.exposeString('apiKey', { description: 'Value of the key, which cannot be read again.' }),
    scopes: t.stringList({ description: 'Scopes of the key: what it may do.', resolve: ({ scopes }) => [...scopes] }),
    key: t.prismaField({
      description: 'New key, without its value.',
      ...loadedBy(ApiKeyRef, loadKeys, ({ apiKeyId }: NewApiKey) => apiKeyId),
      nullable: false,
    }),
  }),
})

const DeletionRef = builder.objectRef<{ readonly apiKeyId: string }>('DeleteApiKeySuccess').implement({
  description: 'API key that was deleted.',
  fields: (t) => ({
    id: t.exposeID('apiKeyId', { description: 'Id of the deleted key.' }),
    apiKeyId: t.exposeID('apiKeyId', { description: 'Id of the deleted key.', deprecationReason: USE_ID }),
  }),
})

const NEEDS = 'Needs the scope account:admin, or a signed-in owner.'

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyRef,
      description:
        'API keys of an account, newest first. Needs the scope account:admin, or a signed-in owner; for another account the scope operator.',
      args: { account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }) },
      ...pagedBy('ApiKey', apiKeys, (args: ApiKeysInput) => args),
    },
    ...connectionOf('ApiKey', 'keys'),
  ),
)

const GrantableScopeRef = builder.objectRef<GrantableScope>('GrantableScope').implement({
  description: 'Scope that the caller may give a key.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the scope, as `scopes` lists it.' }),
    description: t.exposeString('description', { description: 'Sentence about what the scope lets a key do.' }),
  }),
})

builder.queryField('grantableScopes', (t) =>
  t.field({
    type: [GrantableScopeRef],
    description: `Scopes that the caller may give a key. ${NEEDS}`,
    ...resolvedBy(grantableScopes, () => undefined),
  }),
)

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: NewApiKeyRef,
    errors: result('New API key', 'none was created'),
    description: `Creates a key and returns its value, which cannot be read again. ${NEEDS}`,
    args: {
      name: t.arg.string({ required: true, description: 'Name of the key.' }),
      scopes: t.arg.stringList({ description: 'Scopes of the key; `generate:voice` and `job:read` unless given.' }),
      expiresAt: t.arg({
        type: 'DateTime',
        description: 'Time when the key stops working, in the future; it never does unless given.',
      }),
      monthlyLimit: t.arg.float({
        description: 'Credits that the key may use in a calendar month, in UTC; no limit unless given.',
      }),
      maxRunning: t.arg.int({
        description: 'Number of jobs of the key that may run at once; no limit unless given.',
      }),
    },
    ...resolvedBy(createApiKey, (args: ApiKeyInput) => args),
  }),
}))

builder.mutationFields((t) => ({
  updateApiKey: t.prismaField({
    errors: result('Changed API key', 'the key stays as it is'),
    description: `Renames a key or gives it other scopes or limits. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a key.' }),
      name: t.arg.string({ description: 'Name of the key; stays as it is unless given.' }),
      scopes: t.arg.stringList({ description: 'Scopes of the key; stay as they are unless given.' }),
      monthlyLimit: t.arg.float({
        description:
          'Credits that the key may use in a calendar month, in UTC; null for no limit. The limit stays as it is unless given.',
      }),
      maxRunning: t.arg.int({
        description:
          'Number of jobs of the key that may run at once; null for no limit. The limit stays as it is unless given.',
      }),
    },
    ...queriedBy(ApiKeyRef, updateApiKey, ({ id, ...args }: Omit<ApiKeyChange, 'apiKeyId'> & { id: string }) => ({
      ...args,
      apiKeyId: id,
    })),
  }),
  deleteApiKey: t.field({
    type: DeletionRef,
    errors: result('Deleted API key', 'nothing was deleted'),
    description: `Deletes a key: it is revoked immediately. ${NEEDS}`,
    args: { id: t.arg.id({ required: true, description: 'Id of a key.' }) },
    ...resolvedBy(deleteApiKey, (args: { id: string }) => ({ apiKeyId: args.id })),
  }),
}))
