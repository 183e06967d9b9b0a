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
  description: 'Graphics card of a worker.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the card, as its driver says it.' }),
    memoryMib: t.exposeInt('memoryMib', {
      description:
        "Memory of the card in MiB; 0 if the driver does not say it, as with cards that share their machine's memory.",
    }),
    memoryUsedMib: t.exposeInt('memoryUsedMib', {
      nullable: true,
      description: 'Memory in use, in MiB; null if the driver does not say it.',
    }),
    loadPercent: t.exposeInt('loadPercent', {
      nullable: true,
      description: 'Load of the card in per cent; null if the driver does not say it.',
    }),
  }),
})

const ServerStateRef = describedEnum('WorkerServerState', 'State of a server of a worker.', {
  starting: 'The server was started and does not answer yet.',
  ready: 'The server takes jobs.',
  failed: 'The server ended, or stopped answering; its worker starts it again a little later.',
} satisfies Record<ServerState, string>)

const WorkerServerRef = builder.objectRef<ServerStatus>('WorkerServer').implement({
  description: 'Server that a worker starts, watches and ends: `sonant work --server FILE`.',
  fields: (t) => ({
    state: t.field({
      type: ServerStateRef,
      description: 'State of the server, which takes jobs only while it is READY.',
      resolve: ({ state }) => state,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'Time when the server came into this state.' }),
    restarts: t.exposeInt('restarts', { description: 'Number of times that the server was started again.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: "Reason of the server's last failure, with its last lines of output; null if it never failed.",
    }),
  }),
})

const PermitRef = builder.objectRef<Permit>('WorkerPermit').implement({
  description: 'Number of requests that a worker may have open at a server.',
  fields: (t) => ({
    server: t.exposeString('server', { description: 'Address of the server, without user, password and query.' }),
    requests: t.exposeInt('requests', { description: 'Number of requests at once.' }),
  }),
})

const WorkerRef = builder.prismaObject('Worker', {
  description: 'Worker: a process that performs jobs.',
  interfaces: [NodeInterface],
  select: WORKER_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the worker, new at every start.' }),
    host: t.exposeString('host', { description: "Name of the worker's machine." }),
    version: t.exposeString('version', { description: "Version of the worker's program." }),
    pools: t.exposeStringList('pools', { description: 'Names of the pools whose jobs the worker takes.' }),
    slots: t.exposeInt('slots', { description: 'Largest number of jobs that the worker runs at once.' }),
    inFlight: t.exposeInt('inFlight', { description: 'Number of jobs that the worker runs now.' }),
    gpus: t.field({ type: [GpuRef], description: 'Graphics cards of the worker.', resolve: gpusOf }),
    server: t.field({
      type: WorkerServerRef,
      nullable: true,
      description: 'Server that the worker owns; null if it owns none.',
      resolve: serverOf,
    }),
    permits: t.field({
      type: [PermitRef],
      description: "Parts of the servers' limits of requests at once that the worker has.",
      resolve: permitsOf,
    }),
    silent: t.boolean({
      description: 'True if the worker was silent for more than five seconds: its jobs go to others.',
      resolve: (worker, _args, ctx) => isSilent(worker, ctx.now().getTime()),
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time when the worker started.' }),
    heartbeatAt: t.expose('heartbeatAt', {
      type: 'DateTime',
      description: "Time of the worker's last sign of life. After five seconds of silence its jobs go to others.",
    }),
  }),
})

addNodeSource<WorkerRow>('wrk', {
  typeOf: () => 'Worker',
  idOf: ({ id }) => id,
  load: async (ctx, ids, info) => {
    queryOf(ctx, info, 'Worker')
    return (await workers(ctx)).filter(({ id }) => ids.includes(id))
  },
})

builder.queryField('workers', (t) =>
  t.prismaField({
    description: 'Workers of the service. Needs the scope operator, or a signed-in operator.',
    ...queriedBy([WorkerRef], workers, () => ({})),
  }),
)

const PoolRef = builder.objectRef<Pool>('Pool').implement({
  description: 'Pool: a queue of jobs for engines, with the workers and servers that take them.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description:
        "Name of the pool, as an endpoint's engine block says it; `generate.cog` has the jobs of all workflows.",
    }),
    waiting: t.exposeFloat('waiting', { description: 'Number of jobs that wait.' }),
    oldestWaitingSince: t.expose('oldestWaitingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the oldest job that may be taken was queued; null if none waits.',
    }),
    processing: t.exposeFloat('processing', { description: 'Number of jobs that workers perform.' }),
    slots: t.exposeInt('slots', {
      description: 'Number of jobs that the living workers of the pool can run at once, over all of their pools.',
    }),
    workers: t.exposeInt('workers', {
      description: "Number of living workers that take the pool's jobs; without one, the jobs wait.",
    }),
    server: t.exposeString('server', {
      nullable: true,
      description:
        "Addresses of the pool's servers between commas, without user, password and query; `worker` if each worker has its own; null if engines run inside the workers.",
    }),
    maxInFlight: t.exposeInt('maxInFlight', {
      nullable: true,
      description:
        "Largest number of requests at once at these servers, over all workers, or at each worker's own server; null without a limit.",
    }),
  }),
})

const EVERY = 'Shortest time between two messages in milliseconds: 100 to 60,000; 1,000 unless given.'

builder.queryField('pools', (t) =>
  t.field({
    type: [PoolRef],
    description:
      'Pools that an endpoint names or that hold jobs, and the one of the workflows. Needs the scope operator, or a signed-in operator.',
    ...resolvedBy(pools, () => undefined),
  }),
)

builder.subscriptionFields((t) => ({
  poolsUpdated: t.field({
    type: [PoolRef],
    description: 'Pools as they are, again and again. Needs the scope operator, or a signed-in operator.',
    args: { everyMs: t.arg.int({ description: EVERY }) },
    ...subscribedBy(fleetUpdated, (args: { everyMs?: number | null | undefined }) => args),
    resolve: (fleet: FleetState, _args, ctx) => poolsOf(fleet, ctx.catalog.current),
  }),
  workersUpdated: t.prismaField({
    description: 'Workers as they are, again and again. Needs the scope operator, or a signed-in operator.',
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
      'Name of the pool whose workers take the job, as `pools` has it; null if its endpoint was deleted. Needs the scope operator, or a signed-in operator.',
    resolve: ({ endpointKey }, _args, ctx) => {
      requireOperator(ctx)
      return queuedPool(ctx.catalog, endpointKey)
    },
  }),
  poolServed: t.boolean({
    nullable: true,
    description:
      "True if a living worker takes jobs of the job's pool; without one the job waits. Null unless the job is QUEUED.",
    resolve: async ({ status, endpointKey }, _args, ctx) =>
      status === 'queued' ? ((await served.load(ctx, endpointKey)) ?? null) : null,
  }),
}))

// The catalog is public, so this field needs a key.
builder.objectFields(VoiceEndpointRef, (t) => ({
  isServed: t.boolean({
    nullable: true,
    description:
      "True if a living worker takes the endpoint's jobs now and reaches its engine; otherwise they wait, or fail. Null without a key or a signed-in user.",
    resolve: async ({ slug }, _args, ctx) =>
      ctx.actor.kind === 'anonymous' ? null : (await unserved.load(ctx, slug)) === null,
  }),
  notServedBecause: t.string({
    nullable: true,
    description:
      'Reason why the endpoint is not served now, in one line. Null if it is served, and for callers who are no operators.',
    resolve: async ({ slug }, _args, ctx) => (isOperator(ctx) ? ((await unserved.load(ctx, slug)) ?? null) : null),
  }),
}))
