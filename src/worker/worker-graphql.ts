import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { queryOf } from '../graphql/query-of.ts'
import { queriedBy } from '../graphql/resolved-by.ts'
import { type Gpu, isSilent, type ServerState, type ServerStatus } from './worker.ts'
import { gpusOf, type Permit, permitsOf, serverOf, WORKER_VIEW, type WorkerRow, workers } from './workers.ts'

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

export const WorkerRef = builder.prismaObject('Worker', {
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
