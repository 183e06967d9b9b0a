import {
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
} from 'graphql'
import type { Actor } from '../access/actor.ts'
import { isOperator } from '../access/require.ts'
import { builder } from './builder.ts'
import { unlessRefused } from './resolved-by.ts'

type Viewer = Extract<Actor, { readonly scopes: readonly string[] }>

/** Fields of Viewer, and the root fields that resolve them for the caller's own account. */
const OWN = {
  account: 'account',
  voices: 'accountVoices',
  endpoints: 'myEndpoints',
  ...{ apiKeys: 'apiKeys', users: 'users', grantableScopes: 'grantableScopes', lexicon: 'lexicon' },
  ...{ jobs: 'jobs', jobStats: 'jobStats', jobSeries: 'jobSeries', webhook: 'webhook', webhookStats: 'webhookStats' },
  ...{ creditEntries: 'creditEntries', creditDays: 'creditDays', auditEntries: 'auditEntries' },
}
const OF_OTHERS: ReadonlySet<string> = new Set(['account', 'all'])

export const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description:
    'Caller, a key or a signed-in user, with everything that it may read of its account. A field that it may not read is null, without an error.',
  fields: (t) => ({
    scopes: t.stringList({ description: 'Scopes of the caller.', resolve: ({ scopes }) => [...scopes] }),
    isOperator: t.boolean({
      description: 'True if the caller is an operator: a key with the scope operator, or a user who is one.',
      resolve: (_viewer, _args, ctx) => isOperator(ctx),
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerRef,
    nullable: true,
    description: 'Caller with its account: one missing scope leaves the rest of the answer. Null without a caller.',
    resolve: (_root, _args, { actor }) => ('scopes' in actor ? actor : null),
  }),
)

/** Derives fields of Viewer from root fields, so that both take the same arguments and call the same verb. */
export function addOwnFields(schema: GraphQLSchema): void {
  const viewer = schema.getType('Viewer') as GraphQLObjectType
  const roots = schema.getQueryType()!.getFields()
  const fields = Object.entries(OWN).map(([name, root]) => [name, ownField(roots[root]!)] as const)
  const own = new GraphQLObjectType({ name: viewer.name, fields: Object.fromEntries(fields) })
  Object.assign(viewer.getFields(), own.getFields())
}

function ownField(root: GraphQLField<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
  const { args = {}, resolve, ...config } = root.toConfig()
  return {
    ...config,
    description: `Answer of the query \`${root.name}\` for the caller's own account; null if the caller may not read it.`,
    type: getNullableType(config.type),
    args: Object.fromEntries(Object.entries(args).filter(([name]) => !OF_OTHERS.has(name))),
    resolve: unlessRefused(resolve!),
  }
}
