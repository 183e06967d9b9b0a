import { builder } from '../graphql/builder.ts'
import { resolvedBy, rowsOf, subscribedBy } from '../graphql/resolved-by.ts'
import type { FleetState } from '../jobs/live/read-fleet.ts'
import { poolsUpdated, workersUpdated } from './fleet-updated.ts'
import { type Pool, pools, poolsOf } from './pools.ts'
import { WorkerRef } from './worker-graphql.ts'

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
    ...subscribedBy(poolsUpdated, (args: { everyMs?: number | null | undefined }) => args),
    resolve: (fleet: FleetState, _args, ctx) => poolsOf(fleet, ctx.catalog.current),
  }),
  workersUpdated: t.prismaField({
    description: 'The workers, again and again. Needs a key with the scope operator.',
    args: { everyMs: t.arg.int({ description: EVERY }) },
    ...subscribedBy(workersUpdated, (args: { everyMs?: number | null | undefined }) => args),
    ...rowsOf([WorkerRef], ({ workers }: FleetState) => [...workers]),
  }),
}))
