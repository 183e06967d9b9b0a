import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import type { Gpu } from './worker.ts'
import { gpusOf, WORKER_VIEW, type WorkerRow, workers } from './workers.ts'

const GpuRef = builder.objectRef<Gpu>('Gpu').implement({
  description: 'A graphics card of a worker.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As the driver names it.' }),
    memoryMib: t.exposeInt('memoryMib', { description: 'Its memory in MiB.' }),
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
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
    heartbeatAt: t.expose('heartbeatAt', {
      type: 'DateTime',
      description: 'When it was heard of last. After five seconds of silence its jobs go to others.',
    }),
  }),
})

addNodeSource<WorkerRow>('wrk', {
  typeOf: () => 'Worker',
  load: async (ctx, id) => (await workers(ctx)).find((worker) => worker.id === id) ?? null,
})

builder.queryField('workers', (t) =>
  t.field({
    type: [WorkerRef],
    description: 'The workers of this service. Needs a key with the scope operator.',
    ...resolvedBy(workers, () => undefined),
  }),
)
