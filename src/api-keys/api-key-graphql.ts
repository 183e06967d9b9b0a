import { holdsScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import { builder, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, queriedBy, queryOf, resolvedBy } from '../graphql/resolved-by.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { UserRef } from '../users/user-graphql.ts'
import {
  type ApiKeysInput,
  type ApiKeyView,
  apiKeys,
  findApiKeys,
  type GrantableScope,
  grantableScopes,
  KEY_VIEW,
  ownApiKey,
} from './api-keys.ts'
import {
  type ApiKeyChange,
  type ApiKeyInput,
  createApiKey,
  deleteApiKey,
  type NewApiKey,
  updateApiKey,
} from './change-api-key.ts'

const ApiKeyRef = builder.prismaObject('ApiKey', {
  description: 'API key of an account, without its value.',
  interfaces: [NodeInterface],
  select: KEY_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the key.' }),
    name: t.exposeString('name', { description: 'Name of the key.' }),
    scopes: t.exposeStringList('scopes', { description: 'Scopes of the key: what it may do.' }),
    hint: t.exposeString('hint', {
      nullable: true,
      description: 'Last four characters of the key, to recognise it by; null for keys from before they were kept.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the key stops working; null if it never does.',
    }),
    createdBy: t.field({
      type: UserRef,
      nullable: true,
      description: 'User who made the key; null if no user did, and for a key that reads itself without account:admin.',
      select: (_args, _ctx, nestedSelection) => ({ createdBy: nestedSelection() }),
      resolve: ({ createdBy }, _args, ctx) => (holdsScope(ctx, ACCOUNT_ADMIN_SCOPE) ? createdBy : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the key was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the last request with the key, within a minute; null if there was none since this time is kept.',
    }),
  }),
})

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
  }),
})

const DeletionRef = builder.objectRef<{ readonly apiKeyId: string }>('DeleteApiKeySuccess').implement({
  description: 'API key that was deleted.',
  fields: (t) => ({ apiKeyId: t.exposeID('apiKeyId', { description: 'Id of the deleted key.' }) }),
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
    },
    ...resolvedBy(createApiKey, (args: ApiKeyInput) => args),
  }),
  updateApiKey: t.prismaField({
    errors: result('Changed API key', 'the key stays as it is'),
    description: `Renames a key or gives it other scopes. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a key.' }),
      name: t.arg.string({ description: 'Name of the key; stays as it is unless given.' }),
      scopes: t.arg.stringList({ description: 'Scopes of the key; stay as they are unless given.' }),
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
