import { holdsScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, queriedBy, queryOf, resolvedBy } from '../graphql/resolved-by.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { UserRef } from '../users/user-graphql.ts'
import {
  type ApiKeysInput,
  type ApiKeyView,
  apiKeys,
  findApiKey,
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
  description: 'An API key of an account, without its value.',
  interfaces: [NodeInterface],
  select: KEY_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The key id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    scopes: t.exposeStringList('scopes', { description: 'Its scopes.' }),
    hint: t.exposeString('hint', {
      nullable: true,
      description: 'Its last four characters, to tell it by; null of keys from before they were kept.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key stops working; null: never.',
    }),
    createdBy: t.field({
      type: UserRef,
      nullable: true,
      description:
        'The user who made it; null if no user made it, and for a key that reads itself without account:admin.',
      select: (_args, _ctx, nestedSelection) => ({ createdBy: nestedSelection() }),
      resolve: ({ createdBy }, _args, ctx) => (holdsScope(ctx, ACCOUNT_ADMIN_SCOPE) ? createdBy : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a request last came with it, within a minute; null: none since this is noted.',
    }),
  }),
})

addNodeSource<ApiKeyView>('key', {
  typeOf: () => 'ApiKey',
  load: (ctx, id, info) => findApiKey(ctx, id, queryOf(ctx, info, 'ApiKey')),
})

builder.objectField(ViewerRef, 'apiKey', (t) =>
  t.prismaField({
    nullable: true,
    description: 'The key that asks. Null for a signed-in user.',
    ...queriedBy(ApiKeyRef, ownApiKey, () => ({})),
  }),
)

const NewApiKeyRef = builder.objectRef<NewApiKey>('NewApiKey').implement({
  description: 'A new key.',
  fields: (t) => ({
    apiKeyId: t.exposeID('apiKeyId', { description: 'The key id.' }),
    apiKey: t.exposeString('apiKey', { description: 'The value of the key, which cannot be read again.' }),
    scopes: t.stringList({ description: 'Its scopes.', resolve: ({ scopes }) => [...scopes] }),
  }),
})

const DeletionRef = builder.objectRef<{ readonly apiKeyId: string }>('DeleteApiKeySuccess').implement({
  description: 'A deleted key.',
  fields: (t) => ({ apiKeyId: t.exposeID('apiKeyId', { description: 'The id of the deleted key.' }) }),
})

const NEEDS = 'Needs the scope account:admin, or a signed-in owner.'

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyRef,
      description:
        'The keys of an account, newest first. Needs the scope account:admin, or a signed-in owner; of another account the scope operator.',
      args: { account: t.arg.id({ description: "Id or name; the caller's own unless given." }) },
      ...pagedBy('ApiKey', apiKeys, (args: ApiKeysInput) => args),
    },
    ...connectionOf('ApiKey', 'keys'),
  ),
)

const GrantableScopeRef = builder.objectRef<GrantableScope>('GrantableScope').implement({
  description: 'A scope that the caller may give a key.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As `scopes` names it.' }),
    description: t.exposeString('description', { description: 'What it lets a key do.' }),
  }),
})

builder.queryField('grantableScopes', (t) =>
  t.field({
    type: [GrantableScopeRef],
    description: `The scopes that the caller may give a key. ${NEEDS}`,
    ...resolvedBy(grantableScopes, () => undefined),
  }),
)

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: NewApiKeyRef,
    errors: {},
    description: `Creates a key and returns its value, which cannot be read again. ${NEEDS}`,
    args: {
      name: t.arg.string({ required: true, description: 'Its name.' }),
      scopes: t.arg.stringList({ description: 'generate:voice and job:read unless given.' }),
      expiresAt: t.arg({ type: 'DateTime', description: 'In the future; it never expires unless given.' }),
    },
    ...resolvedBy(createApiKey, (args: ApiKeyInput) => args),
  }),
  updateApiKey: t.prismaField({
    errors: {},
    description: `Renames a key or gives it other scopes. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'A key id.' }),
      name: t.arg.string({ description: 'Stays unless given.' }),
      scopes: t.arg.stringList({ description: 'Stay unless given.' }),
    },
    ...queriedBy(ApiKeyRef, updateApiKey, ({ id, ...args }: Omit<ApiKeyChange, 'apiKeyId'> & { id: string }) => ({
      ...args,
      apiKeyId: id,
    })),
  }),
  deleteApiKey: t.field({
    type: DeletionRef,
    errors: {},
    description: `Deletes a key: it is revoked immediately. ${NEEDS}`,
    args: { id: t.arg.id({ required: true, description: 'A key id.' }) },
    ...resolvedBy(deleteApiKey, (args: { id: string }) => ({ apiKeyId: args.id })),
  }),
}))
