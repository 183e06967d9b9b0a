import { isOperator, requireOperator } from '../access/require.ts'
import { VoiceEndpointRef } from '../catalog/endpoint-graphql.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { queriedBy, queryOf, resolvedBy, rowsOf, subscribedBy } from '../graphql/resolved-by.ts'
import { describedEnum } from '../graphql/scalars.ts'
import { JobInterface } from '../jobs/graphql/job-graphql.ts'
import type { FleetState } from '../jobs/live/fleet-feed.ts'
import { fleetUpdated, type Pool, pools, poolsOf } from './pools.ts'
import { loadServed, loadUnserved, queuedPool } from './served-pools.ts'
import {
  type Gpu,
  gpusOf,
  isSilent,
  type Permit,
  permitsOf,
  type ServerState,
  type ServerStatus,
  serverOf,
  WORKER_VIEW,
  type WorkerRow,
  workers,
} from './workers.ts'

const GpuRef = builder.objectRef<Gpu>('Gpu').implement({
  description: 'A graphics card of a worker.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As the driver names it.' }),
    memoryMib: t.exposeInt('memoryMib', {
      description: "Its memory in MiB. 0 where the driver does not tell, as of cards that share their machine's.",
    }),
    memoryUsedMib: t.exposeInt('memoryUsedMib', {
      nullable: true,
      description: 'How much of its memory is in use, in MiB. Null where the driver does not tell.',
    }),
    loadPercent: t.exposeInt('loadPercent', {
      nullable: true,
      description: 'How busy it is, in per cent. Null where the driver does not tell.',
    }),
  }),
})

const ServerStateRef = describedEnum('WorkerServerState', 'What a server of a worker is doing.', {
  starting: 'It was started, and does not answer yet.',
  ready: 'It takes jobs.',
  failed: 'It ended, or stopped answering: it is started again a little later.',
} satisfies Record<ServerState, string>)

const WorkerServerRef = builder.objectRef<ServerStatus>('WorkerServer').implement({
  description: 'A server that a worker starts, watches and ends: `sonant work --server FILE`.',
  fields: (t) => ({
    state: t.field({
      type: ServerStateRef,
      description: 'It takes jobs only while it is READY.',
      resolve: ({ state }) => state,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'When that began.' }),
    restarts: t.exposeInt('restarts', { description: 'How often it was started again.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it failed last, with its last lines. Null: it has not.',
    }),
  }),
})

const PermitRef = builder.objectRef<Permit>('WorkerPermit').implement({
  description: 'Requests that a worker may have open at a server.',
  fields: (t) => ({
    server: t.exposeString('server', { description: 'Its address, without user, password and query.' }),
    requests: t.exposeInt('requests', { description: 'How many at once.' }),
  }),
})

const WorkerRef = builder.prismaObject('Worker', {
  description: 'A process that renders jobs.',
  interfaces: [NodeInterface],
  select: WORKER_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'New at every start.' }),
    host: t.exposeString('host', { description: 'The machine.' }),
    version: t.exposeString('version', { description: 'Of this service.' }),
    pools: t.exposeStringList('pools', { description: 'The engine pools that it serves.' }),
    slots: t.exposeInt('slots', { description: 'Jobs that it runs at once at most.' }),
    inFlight: t.exposeInt('inFlight', { description: 'Jobs that it runs now.' }),
    gpus: t.field({ type: [GpuRef], description: 'Its graphics cards.', resolve: gpusOf }),
    server: t.field({
      type: WorkerServerRef,
      nullable: true,
      description: 'The server that it owns. Null: it owns none.',
      resolve: serverOf,
    }),
    permits: t.field({
      type: [PermitRef],
      description: "Its part of each server's limit of requests at once, over all workers.",
      resolve: permitsOf,
    }),
    silent: t.boolean({
      description: 'Whether it was not heard of for more than five seconds: its jobs go to others.',
      resolve: (worker, _args, ctx) => isSilent(worker, ctx.now().getTime()),
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
    heartbeatAt: t.expose('heartbeatAt', {
      type: 'DateTime',
      description: 'When it was heard of last. After five seconds of silence its jobs go to others.',
    }),
  }),
})

addNodeSource<WorkerRow>('wrk', {
  typeOf: () => 'Worker',
  load: async (ctx, id, info) => {
    queryOf(ctx, info, 'Worker')
    return (await workers(ctx)).find((worker) => worker.id === id) ?? null
  },
})

builder.queryField('workers', (t) =>
  t.prismaField({
    description: 'The workers of this service. Needs the scope operator, or a signed-in operator.',
    ...queriedBy([WorkerRef], workers, () => ({})),
  }),
)

const PoolRef = builder.objectRef<Pool>('Pool').implement({
  description: 'A queue of jobs for engines, and what takes them.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: "That of an endpoint's engine block; `generate.cog`: the jobs of all workflows.",
    }),
    waiting: t.exposeFloat('waiting', { description: 'Jobs that wait: a whole number.' }),
    oldestWaitingSince: t.expose('oldestWaitingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest job that may be taken was queued; null where none waits.',
    }),
    processing: t.exposeFloat('processing', { description: 'Jobs that workers have: a whole number.' }),
    slots: t.exposeInt('slots', {
      description: 'Jobs that the living workers of the pool can have at once, over all of their pools.',
    }),
    workers: t.exposeInt('workers', { description: 'How many living workers take its jobs: with none, they wait.' }),
    server: t.exposeString('server', {
      nullable: true,
      description:
        "The addresses of its servers between commas, without user, password and query. `worker`: each worker's own; null where engines run inside of the workers.",
    }),
    maxInFlight: t.exposeInt('maxInFlight', {
      nullable: true,
      description:
        'Requests at once at these servers, over all workers, or at the own server of each; null without one.',
    }),
  }),
})

const EVERY = 'A message once in this time at most: 100 to 60,000; 1,000 unless given.'

builder.queryField('pools', (t) =>
  t.field({
    type: [PoolRef],
    description:
      'Every pool that an endpoint names or that holds jobs, and that of workflows. Needs a key with the scope operator.',
    ...resolvedBy(pools, () => undefined),
  }),
)

builder.subscriptionFields((t) => ({
  poolsUpdated: t.field({
    type: [PoolRef],
    description: 'The pools, again and again. Needs a key with the scope operator.',
    args: { everyMs: t.arg.int({ description: EVERY }) },
    ...subscribedBy(fleetUpdated, (args: { everyMs?: number | null | undefined }) => args),
    resolve: (fleet: FleetState, _args, ctx) => poolsOf(fleet, ctx.catalog.current),
  }),
  workersUpdated: t.prismaField({
    description: 'The workers, again and again. Needs a key with the scope operator.',
    args: { everyMs: t.arg.int({ description: EVERY }) },
    ...subscribedBy(fleetUpdated, (args: { everyMs?: number | null | undefined }) => args),
    ...rowsOf([WorkerRef], ({ workers }: FleetState) => [...workers]),
  }),
}))

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
