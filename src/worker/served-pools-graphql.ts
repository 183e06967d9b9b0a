import { isOperator, requireOperator } from '../access/require.ts'
import { VoiceEndpointRef } from '../catalog/graphql/endpoint-graphql.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { JobInterface } from '../jobs/graphql/job-interface-graphql.ts'
import { loadServed, loadUnserved, queuedPool } from './served-pools.ts'

const unserved = new BatchLoader<GraphqlContext, string | null>(loadUnserved)
const served = new BatchLoader<GraphqlContext, boolean>(loadServed)

builder.interfaceFields(JobInterface, (t) => ({
  pool: t.string({
    nullable: true,
    description:
      'The pool whose workers take it, as `pools` names it; null where its endpoint is gone. Needs the scope operator, or a signed-in operator.',
    resolve: ({ endpointKey }, _args, ctx) => {
      requireOperator(ctx)
      return queuedPool(ctx.catalog, endpointKey)
    },
  }),
  poolServed: t.boolean({
    nullable: true,
    description: 'Whether a living worker takes jobs of its pool: with none it waits. QUEUED only.',
    resolve: async ({ status, endpointKey }, _args, ctx) =>
      status === 'queued' ? ((await served.load(ctx, endpointKey)) ?? null) : null,
  }),
}))

// The catalog is public, so this field needs a key.
builder.objectFields(VoiceEndpointRef, (t) => ({
  isServed: t.boolean({
    nullable: true,
    description:
      'Whether a living worker takes jobs of its pool now and reaches its engine: with none they wait, or fail. Null without a key or a signed-in user.',
    resolve: async ({ slug }, _args, ctx) =>
      ctx.actor.kind === 'anonymous' ? null : (await unserved.load(ctx, slug)) === null,
  }),
  notServedBecause: t.string({
    nullable: true,
    description: 'Why it is not served now, in one line. Null where it is, and for everyone but operators.',
    resolve: async ({ slug }, _args, ctx) => (isOperator(ctx) ? ((await unserved.load(ctx, slug)) ?? null) : null),
  }),
}))
