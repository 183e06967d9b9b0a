import type { Connection } from '../../db/page.ts'
import { builder } from '../../graphql/builder.ts'
import { queryOf } from '../../graphql/query-of.ts'
import { resolvedBy, rowsOf, subscribedBy } from '../../graphql/resolved-by.ts'
import { TimeRangeInput } from '../../graphql/time-range.ts'
import type { DeliveriesFilter } from '../history/deliveries-filter.ts'
import type { Delivery } from '../history/delivery-view.ts'
import { countDeliveries, type DeliveriesInput, webhookDeliveries } from '../history/webhook-deliveries.ts'
import { TIMED_DELIVERIES, type WebhookStats, webhookStats } from '../history/webhook-stats.ts'
import { type DeliveryChangesInput, deliveriesUpdated, deliveryChanges } from '../live/deliveries-updated.ts'
import type { DeliveryChange } from '../live/delivery-feed.ts'
import { DeliveryRef, DeliveryStateEnum } from './webhook-delivery-graphql.ts'

interface Counted extends Connection<Delivery> {
  readonly filter: DeliveriesFilter
}

const ABOUT = {
  jobId: 'Only of this job.',
  states: 'Only in one of these states.',
  outcomes: 'Only with one of these outcomes.',
  createdAt: 'Only of jobs that finished in this range.',
  endpointKeys: 'Only of jobs of these endpoints and workflows: `voice.tts`. Tests have none.',
}

export const DeliveriesFilterInput = builder.inputRef<DeliveriesFilter>('WebhookDeliveriesFilter').implement({
  description:
    'Which deliveries: those that fit all of its fields. Of a list any value fits; an absent field leaves none out.',
  fields: (t) => ({
    jobId: t.id({ description: ABOUT.jobId }),
    states: t.field({ type: [DeliveryStateEnum], description: ABOUT.states }),
    outcomes: t.stringList({ description: ABOUT.outcomes }),
    createdAt: t.field({ type: TimeRangeInput, description: ABOUT.createdAt }),
    endpointKeys: t.stringList({ description: ABOUT.endpointKeys }),
  }),
})

builder.queryField('webhookDeliveries', (t) =>
  t.connection(
    {
      type: DeliveryRef,
      description: "The account's deliveries of the last 30 days, newest first.",
      args: {
        jobId: t.arg.id({ description: ABOUT.jobId }),
        outcome: t.arg.string({ description: 'Only with this outcome.' }),
        states: t.arg({ type: [DeliveryStateEnum], description: ABOUT.states }),
        outcomes: t.arg.stringList({ description: ABOUT.outcomes }),
        createdAt: t.arg({ type: TimeRangeInput, description: ABOUT.createdAt }),
        endpointKeys: t.arg.stringList({ description: ABOUT.endpointKeys }),
      },
      resolve: async (_root, args: DeliveriesInput, ctx, info): Promise<Counted> => {
        const { first, last, after, before, ...filter } = args
        const query = queryOf(ctx, info, 'WebhookDelivery')
        return { ...(await webhookDeliveries(ctx, { ...args, query })), filter }
      },
      extensions: { verb: webhookDeliveries },
    },
    {
      name: 'WebhookDeliveryConnection',
      description: 'A page of deliveries.',
      fields: (c) => ({
        totalCount: c.int({
          description: 'The exact number of matching deliveries.',
          resolve: (page, _args, ctx) => countDeliveries(ctx, (page as unknown as Counted).filter),
        }),
      }),
    },
    { name: 'WebhookDeliveryEdge', description: 'A list entry with its cursor.' },
  ),
)

const StatsRef = builder.objectRef<WebhookStats>('WebhookStats').implement({
  description: 'What became of the deliveries of a time, as of one moment.',
  fields: (t) => ({
    pending: t.exposeInt('pending', { description: 'Deliveries under way, or waiting for another attempt.' }),
    succeeded: t.exposeInt('succeeded', { description: 'Deliveries that their receivers took.' }),
    failed: t.exposeInt('failed', { description: 'Deliveries that were given up.' }),
    attempts: t.exposeInt('attempts', {
      description: `The attempts that have ended, of the newest ${TIMED_DELIVERIES.toLocaleString('en')} of these deliveries.`,
    }),
    medianAttemptMs: t.exposeFloat('medianAttemptMs', {
      nullable: true,
      description: 'The median of how long these attempts took. Null without any.',
    }),
  }),
})

builder.queryField('webhookStats', (t) =>
  t.field({
    type: StatsRef,
    description:
      "How many of the account's deliveries of the last 30 days there are in each state, and how long their attempts took.",
    args: { createdAt: t.arg({ type: TimeRangeInput, description: ABOUT.createdAt }) },
    ...resolvedBy(webhookStats, (args: Pick<DeliveriesFilter, 'createdAt'>) => args),
  }),
)

builder.subscriptionField('deliveriesUpdated', (t) =>
  t.prismaField({
    description:
      'The webhook deliveries that match, whenever they change; first the pending ones as they are now. Needs the scope account:admin.',
    args: { filter: t.arg({ type: DeliveriesFilterInput, description: 'Which deliveries.' }) },
    ...subscribedBy(deliveriesUpdated, (args: { filter?: DeliveriesFilter | null | undefined }) => args),
    ...rowsOf(DeliveryRef, (delivery: Delivery) => delivery),
  }),
)

const DeliveryChangesRef = builder.objectRef<readonly DeliveryChange[]>('DeliveryChanges').implement({
  description: 'What has changed in a list of deliveries, at most 500 together.',
  fields: (t) => ({
    deliveries: t.prismaField({
      description: 'Those that match, each in its latest state.',
      ...rowsOf([DeliveryRef], (changes: readonly DeliveryChange[]) =>
        changes.flatMap(({ delivery }) => delivery ?? []),
      ),
      extensions: { length: 100 },
    }),
    removedIds: t.idList({
      description:
        'Those that match no more, or were deleted. A list that holds one of them drops it; others need not know it.',
      resolve: (changes) => changes.flatMap(({ id, delivery }) => (delivery === null ? [id] : [])),
    }),
  }),
})

builder.subscriptionField('deliveryChanges', (t) =>
  t.field({
    type: DeliveryChangesRef,
    description:
      'The webhook deliveries that match and have changed, first the pending ones as they are now, and which match no more or were deleted. Needs the scope account:admin.',
    args: {
      filter: t.arg({ type: DeliveriesFilterInput, description: 'Which deliveries.' }),
      everyMs: t.arg.int({
        description: 'A message once in this time at most: 100 to 60,000; 1,000 unless given.',
      }),
    },
    ...subscribedBy(deliveryChanges, (args: DeliveryChangesInput) => args),
    resolve: (changes: readonly DeliveryChange[]) => changes,
  }),
)
