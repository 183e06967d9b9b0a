import type { GraphQLResolveInfo } from 'graphql'
import { requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import type { Connection } from '../db/page.ts'
import type { RowQuery } from '../db/row-query.ts'
import { unknownId } from '../errors/service-error.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { queryOf, resolvedBy, rowsOf, subscribedBy, unlessRefused, watchedBelow } from '../graphql/resolved-by.ts'
import { TimeRangeInput } from '../graphql/scalars.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { JobInterface } from '../jobs/graphql/job-graphql.ts'
import type { Job } from '../jobs/job-shape.ts'
import { type DeliveryRequest, readRequests } from './delivery/delivery-request.ts'
import {
  type ChangingDeliveryValue,
  type DeliveriesUpdatedInput,
  type DeliveryChange,
  type DeliveryChangesInput,
  deliveriesUpdated,
  deliveryChanges,
} from './delivery-feed.ts'
import { DeliveryStateEnum } from './delivery-state-graphql.ts'
import {
  ATTEMPT_VIEW,
  countDeliveries,
  DELIVERY_VIEW,
  type DeliveriesFilter,
  type DeliveriesInput,
  type Delivery,
  findDeliveries,
  nextAttemptOf,
  oldestFirst,
  outcomeOf,
  responseOf,
  TIMED_DELIVERIES,
  type WebhookStats,
  webhookDeliveries,
  webhookStats,
} from './webhook-deliveries.ts'

const AttemptRef = builder.prismaObject('WebhookAttempt', {
  description: 'One attempt of a delivery.',
  select: ATTEMPT_VIEW,
  fields: (t) => ({
    round: t.exposeInt('round', { description: '1, and one more for every redelivery by hand.' }),
    number: t.exposeInt('number', { description: '1 to 4 within its round.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    durationMs: t.exposeInt('durationMs', { nullable: true, description: 'Null while it runs.' }),
    outcome: t.string({
      nullable: true,
      description: 'succeeded, status_503, timeout, dns_failed, address_refused, tls_failed and the like.',
      resolve: outcomeOf,
    }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true, description: 'The HTTP status, if one came.' }),
    response: t.string({
      nullable: true,
      description: 'The first 1,024 bytes of the body.',
      resolve: responseOf,
    }),
  }),
})

const HeaderRef = builder.objectRef<DeliveryRequest['headers'][number]>('WebhookHeader').implement({
  description: 'A header of a request.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'In lower case.' }),
    value: t.exposeString('value', { description: 'Its value; of `webhook-signature` the scheme alone.' }),
  }),
})

const requests = new BatchLoader<GraphqlContext, DeliveryRequest>(readRequests)

/** @throws FORBIDDEN, because the body contains the job's result */
function requestOf(ctx: GraphqlContext, { id }: Pick<Delivery, 'id'>): Promise<DeliveryRequest | undefined> {
  requireScope(ctx, JOB_READ_SCOPE)
  return requests.load(ctx, id)
}

const WHILE_KEPT = 'Null once no attempt can follow and the URLs in it have expired. Needs the scope job:read as well.'

export const DeliveryRef = builder.prismaObject('WebhookDelivery', {
  description: 'A webhook delivery. Kept for 30 days.',
  interfaces: [NodeInterface],
  select: DELIVERY_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its webhook-id.' }),
    test: t.boolean({ description: 'Whether sendTestWebhook made it.', resolve: ({ kind }) => kind === 'test' }),
    jobId: t.exposeID('jobId', { description: 'The job that it reports; in a test delivery an id without a job.' }),
    url: t.expose('url', { type: 'URL', description: 'Its URL, fixed when the delivery was created.' }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'Its status.' }),
    outcome: t.exposeString('outcome', { nullable: true, description: 'Of the last attempt.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the job finished.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Null while it is pending.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Null unless another attempt may follow.',
      resolve: (delivery, _args, ctx) => nextAttemptOf(delivery, ctx),
    }),
    requestBody: t.string({
      nullable: true,
      description: `What is sent, to the byte. ${WHILE_KEPT}`,
      resolve: async (row, _args, ctx) => (await requestOf(ctx, row))?.body ?? null,
    }),
    requestHeaders: t.field({
      type: [HeaderRef],
      nullable: true,
      description: `The headers that are sent with it. ${WHILE_KEPT}`,
      resolve: async (row, _args, ctx) => {
        const request = await requestOf(ctx, row)
        return request ? [...request.headers] : null
      },
    }),
    attempts: t.relation('attempts', { type: AttemptRef, description: 'Oldest first.', query: oldestFirst }),
  }),
})

export async function showDelivery(ctx: GraphqlContext, id: string, query: RowQuery): Promise<Delivery> {
  const [delivery] = await findDeliveries(ctx, { ids: [id] }, query)
  if (delivery === undefined) throw unknownId('delivery')
  return delivery
}

addNodeSource<Delivery>('msg', {
  typeOf: () => 'WebhookDelivery',
  load: (ctx, id, info) => showDelivery(ctx, id, queryOf(ctx, info, 'WebhookDelivery')),
})

const deliveries = new BatchLoader<GraphqlContext, Delivery[]>(async (ctx, jobIds) =>
  Map.groupBy(await findDeliveries(ctx, { jobIds }), ({ jobId }) => jobId),
)

builder.interfaceField(JobInterface, 'deliveries', (t) =>
  t.prismaField({
    nullable: true,
    description: 'Its webhook deliveries, newest first. Needs the scope account:admin.',
    ...rowsOf([DeliveryRef], async ({ id }: Job, ctx) => (await deliveries.load(ctx, id)) ?? []),
  }),
)

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

const DeliveryConnectionRef = builder.connectionObject(
  {
    type: DeliveryRef,
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
)

async function page(ctx: GraphqlContext, args: DeliveriesInput, info: GraphQLResolveInfo): Promise<Counted> {
  const { first, last, after, before, ...filter } = args
  const query = queryOf(ctx, info, 'WebhookDelivery')
  return { ...(await webhookDeliveries(ctx, { ...args, query })), filter }
}

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
      resolve: (_root, args: DeliveriesInput, ctx, info) => page(ctx, args, info),
      extensions: { verb: webhookDeliveries },
    },
    DeliveryConnectionRef,
  ),
)

builder.objectField(ViewerRef, 'deliveries', (t) =>
  t.connection(
    {
      type: DeliveryRef,
      nullable: true,
      description: "The account's deliveries of the last 30 days, newest first. Null if the caller may not read them.",
      args: { filter: t.arg({ type: DeliveriesFilterInput, description: 'Which deliveries.' }) },
      resolve: unlessRefused((_viewer, { filter, ...rest }, ctx, info) => page(ctx, { ...filter, ...rest }, info)),
    },
    DeliveryConnectionRef,
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

const FIXED = ['__typename', 'id', 'test', 'jobId', 'url', 'createdAt', 'job']

/** Fields of deliveries by what changes them. All others change with the state alone, or not at all. */
const CHANGED_BY: Readonly<Record<string, readonly ChangingDeliveryValue[]>> = {
  ...Object.fromEntries(FIXED.map((name) => [name, []])),
  outcome: ['outcome'],
  finishedAt: ['finishedAt'],
  nextAttemptAt: ['nextAttemptAt'],
  attempts: ['attempts'],
  requestBody: ['state', 'round', 'attempt'],
  requestHeaders: ['state', 'round', 'attempt'],
}

builder.subscriptionField('deliveriesUpdated', (t) =>
  t.prismaField({
    description:
      'The webhook deliveries that match, whenever they change; first the pending ones as they are now. Needs the scope account:admin.',
    deprecationReason: 'It never says that a delivery left the list. Follow `deliveryChanges`, which does.',
    args: { filter: t.arg({ type: DeliveriesFilterInput, description: 'Which deliveries.' }) },
    ...subscribedBy(deliveriesUpdated, (args: DeliveriesUpdatedInput, info) => ({
      ...args,
      watched: watchedBelow(info, CHANGED_BY, 'state', null),
    })),
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
      'The webhook deliveries that match and have changed, first the pending ones as they are now; and the ids of those that match no more or were deleted. Only what differs in a selected field is sent. Needs the scope account:admin.',
    args: {
      filter: t.arg({ type: DeliveriesFilterInput, description: 'Which deliveries.' }),
      everyMs: t.arg.int({
        description: 'A message once in this time at most: 100 to 60,000; 1,000 unless given.',
      }),
    },
    ...subscribedBy(deliveryChanges, (args: DeliveryChangesInput, info) => ({
      ...args,
      watched: watchedBelow(info, CHANGED_BY, 'state', 'deliveries'),
    })),
    resolve: (changes: readonly DeliveryChange[]) => changes,
  }),
)
