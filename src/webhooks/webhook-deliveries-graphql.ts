import { requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import type { RowQuery } from '../db/row-query.ts'
import { unknownId } from '../errors/service-error.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import {
  pagedBy,
  queryOf,
  resolvedBy,
  rowsOf,
  subscribedBy,
  unlessRefused,
  watchedBelow,
} from '../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../graphql/scalars.ts'
import { ViewerRef } from '../graphql/viewer.ts'
import { JobInterface, toJob } from '../jobs/graphql/job-graphql.ts'
import type { Job } from '../jobs/job-shape.ts'
import { type DeliveryRequest, readRequests } from './delivery/delivery-request.ts'
import { codeOf, type OutcomeCode } from './delivery/webhook-delivery.ts'
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
  DELIVERY_VIEW,
  type DeliveriesFilter,
  type DeliveriesInput,
  type Delivery,
  type FilterInput,
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

const OutcomeEnum = describedEnum<OutcomeCode>('WebhookOutcome', 'Outcome of an attempt of a delivery.', {
  succeeded: 'The receiver answered 2xx.',
  status: 'The receiver answered another status, which is `responseStatus` of the attempt.',
  timeout: 'The receiver did not answer within ten seconds.',
  dns_failed: 'The name of the receiver could not be resolved.',
  address_refused: 'The address of the receiver is private or reserved.',
  port_refused: 'The port of the receiver is one that no webhook is sent to.',
  connect_failed: 'The receiver could not be reached.',
  tls_failed: 'The certificate of the receiver was refused, or TLS failed.',
  connection_closed: 'The receiver closed the connection before it answered.',
  bad_response: 'The answer of the receiver was no HTTP.',
  interrupted: 'The worker stopped during the attempt; the receiver may have the delivery.',
  expired: 'No attempt followed, because its signature would have been too old.',
  secret_unreadable: 'Nothing was sent, because the signing secret could not be read.',
})

const AttemptRef = builder.prismaObject('WebhookAttempt', {
  description: 'Attempt of a delivery: one request to the receiver.',
  select: ATTEMPT_VIEW,
  fields: (t) => ({
    round: t.exposeInt('round', {
      description: 'Round of the attempt: the first is 1, and each redelivery by hand begins another one.',
    }),
    number: t.exposeInt('number', { description: 'Number of the attempt in its round; the first is 1.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time when the attempt began.' }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Length of the attempt in milliseconds; null while it runs.',
    }),
    outcome: t.string({
      nullable: true,
      description:
        'Outcome of the attempt, such as `succeeded`, `status_503`, `timeout`, `dns_failed`, `address_refused` or `tls_failed`; null while it runs.',
      resolve: outcomeOf,
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: "HTTP status of the receiver's answer; null without an answer.",
    }),
    response: t.string({
      nullable: true,
      description: "First 1,024 bytes of the answer's body; null without an answer.",
      resolve: responseOf,
    }),
  }),
})

const HeaderRef = builder.objectRef<DeliveryRequest['headers'][number]>('WebhookHeader').implement({
  description: 'Header of a request.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the header in lower case.' }),
    value: t.exposeString('value', { description: 'Value of the header; for `webhook-signature` only the scheme.' }),
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
  description: "Webhook delivery: the message about a job's end, and its attempts. It is kept for 30 days.",
  interfaces: [NodeInterface],
  select: DELIVERY_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the delivery, which it carries as its `webhook-id`.' }),
    test: t.boolean({
      description: 'True if `sendTestWebhook` made the delivery.',
      resolve: ({ kind }) => kind === 'test',
    }),
    jobId: t.exposeID('jobId', {
      description: 'Id of the job that the delivery reports; in a test delivery an id without a job.',
    }),
    url: t.expose('url', {
      type: 'URL',
      description: 'URL of the receiver; a redelivery takes the one that holds then.',
    }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'State of the delivery.' }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'Outcome of the last attempt that ended; null before.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time when the job ended, or the test was requested.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the delivery succeeded or was given up; null while it is PENDING.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next attempt; null unless one may follow.',
      resolve: (delivery, _args, ctx) => nextAttemptOf(delivery, ctx),
    }),
    attempts: t.relation('attempts', {
      type: AttemptRef,
      description: 'Attempts of the delivery, oldest first.',
      query: oldestFirst,
    }),
  }),
})

builder.prismaObjectFields(DeliveryRef, (t) => ({
  requestBody: t.string({
    nullable: true,
    description: `Body that is sent, to the byte. ${WHILE_KEPT}`,
    resolve: async (row, _args, ctx) => (await requestOf(ctx, row))?.body ?? null,
  }),
  requestHeaders: t.field({
    type: [HeaderRef],
    nullable: true,
    description: `Headers that are sent with the body. ${WHILE_KEPT}`,
    resolve: async (row, _args, ctx) => {
      const request = await requestOf(ctx, row)
      return request ? [...request.headers] : null
    },
  }),
}))

builder.prismaObjectField(DeliveryRef, 'job', (t) =>
  t.field(
    toJob(
      ({ kind, jobId }: Pick<Delivery, 'kind' | 'jobId'>) => (kind === 'test' ? null : jobId),
      'Job that the delivery reports.',
    ),
  ),
)

export async function showDelivery(ctx: GraphqlContext, id: string, query: RowQuery): Promise<Delivery> {
  const [delivery] = await findDeliveries(ctx, { ids: [id] }, query)
  if (delivery === undefined) throw unknownId('delivery')
  return delivery
}

builder.prismaObjectField(DeliveryRef, 'outcomeCode', (t) =>
  t.field({
    type: OutcomeEnum,
    nullable: true,
    description: 'Outcome of the last attempt as a value to branch on; null before it ended.',
    resolve: ({ outcome }) => (outcome === null ? null : codeOf(outcome)),
  }),
)

builder.prismaObjectField(AttemptRef, 'outcomeCode', (t) =>
  t.field({
    type: OutcomeEnum,
    nullable: true,
    description: 'Outcome of the attempt as a value to branch on; null while it runs.',
    resolve: (attempt) => {
      const outcome = outcomeOf(attempt)
      return outcome === null ? null : codeOf(outcome)
    },
  }),
)

addNodeSource<Delivery>('msg', {
  typeOf: () => 'WebhookDelivery',
  idOf: ({ id }) => id,
  load: (ctx, ids, info) => findDeliveries(ctx, { ids }, queryOf(ctx, info, 'WebhookDelivery')),
})

const deliveries = new BatchLoader<GraphqlContext, Delivery[]>(async (ctx, jobIds) =>
  Map.groupBy(await findDeliveries(ctx, { jobIds }), ({ jobId }) => jobId),
)

builder.interfaceField(JobInterface, 'deliveries', (t) =>
  t.prismaField({
    nullable: true,
    description: 'Webhook deliveries of the job, newest first. Needs the scope account:admin.',
    ...rowsOf([DeliveryRef], async ({ id }: Job, ctx) => (await deliveries.load(ctx, id)) ?? []),
  }),
)

const ABOUT = {
  jobId: 'Deliveries of this job.',
  states: 'Deliveries in one of these states.',
  outcomes: 'Deliveries with one of these outcomes, such as `timeout`.',
  createdAt: 'Deliveries of jobs that ended in this range of time.',
  endpointKeys: 'Deliveries of jobs of these endpoints and workflows, such as `voice.tts`; without test deliveries.',
}

export const DeliveriesFilterInput = builder.inputRef<DeliveriesFilter>('WebhookDeliveriesFilter').implement({
  description:
    'Filter of deliveries. A delivery matches if it fits every field that is given, and of a list any of its values.',
  fields: (t) => ({
    jobId: t.id({ description: ABOUT.jobId }),
    states: t.field({ type: [DeliveryStateEnum], description: ABOUT.states }),
    outcomes: t.stringList({ description: ABOUT.outcomes, deprecationReason: 'Use `outcomeCodes`.' }),
    outcomeCodes: t.field({
      type: [OutcomeEnum],
      description: 'Deliveries whose last attempt ended with one of these outcomes.',
    }),
    urls: t.field({ type: ['URL'], description: 'Deliveries to one of these URLs.' }),
    responseStatuses: t.intList({
      description: 'Deliveries whose last attempt that ended was answered with one of these HTTP statuses.',
    }),
    createdAt: t.field({ type: TimeRangeInput, description: ABOUT.createdAt }),
    endpointKeys: t.stringList({ description: ABOUT.endpointKeys }),
  }),
})

const DeliveryConnectionRef = builder.connectionObject(
  {
    type: DeliveryRef,
    name: 'WebhookDeliveryConnection',
    description: 'Page of webhook deliveries.',
  },
  { name: 'WebhookDeliveryEdge', description: 'Entry of a list with its cursor.' },
)

const instead = (name: string) => ({ deprecationReason: `Use \`filter: { ${name} }\`.` })

const FLAT_ARGS = builder.args((t) => ({
  jobId: t.id({ description: ABOUT.jobId, ...instead('jobId') }),
  outcome: t.string({ description: 'Deliveries with this outcome, such as `timeout`.', ...instead('outcomeCodes') }),
  states: t.field({ type: [DeliveryStateEnum], description: ABOUT.states, ...instead('states') }),
  outcomes: t.stringList({ description: ABOUT.outcomes, ...instead('outcomeCodes') }),
  createdAt: t.field({ type: TimeRangeInput, description: ABOUT.createdAt, ...instead('createdAt') }),
  endpointKeys: t.stringList({ description: ABOUT.endpointKeys, ...instead('endpointKeys') }),
}))

builder.queryField('webhookDeliveries', (t) =>
  t.connection(
    {
      type: DeliveryRef,
      description: "Webhook deliveries of the caller's account in the last 30 days, newest first.",
      args: {
        ...FLAT_ARGS,
        filter: t.arg({
          type: DeliveriesFilterInput,
          description: 'Filter of the deliveries; all of them unless given.',
        }),
      },
      ...pagedBy('WebhookDelivery', webhookDeliveries, (args: DeliveriesInput) => args),
    },
    DeliveryConnectionRef,
  ),
)

builder.objectField(ViewerRef, 'deliveries', (t) =>
  t.connection(
    {
      type: DeliveryRef,
      nullable: true,
      description:
        "Webhook deliveries of the caller's account in the last 30 days, newest first. Null if the caller may not read them.",
      args: {
        filter: t.arg({
          type: DeliveriesFilterInput,
          description: 'Filter of the deliveries; all of them unless given.',
        }),
      },
      resolve: unlessRefused(pagedBy('WebhookDelivery', webhookDeliveries, (args: DeliveriesInput) => args).resolve),
    },
    DeliveryConnectionRef,
  ),
)

const StatsRef = builder.objectRef<WebhookStats>('WebhookStats').implement({
  description: 'Numbers of the deliveries of a range of time, at one moment.',
  fields: (t) => ({
    pending: t.exposeInt('pending', {
      description: 'Number of deliveries that are under way or wait for another attempt.',
    }),
    succeeded: t.exposeInt('succeeded', { description: 'Number of deliveries that their receivers accepted.' }),
    failed: t.exposeInt('failed', { description: 'Number of deliveries that were given up.' }),
    attempts: t.exposeInt('attempts', {
      description: `Number of attempts that ended, among those of the newest ${TIMED_DELIVERIES.toLocaleString('en')} of these deliveries.`,
    }),
    medianAttemptMs: t.exposeFloat('medianAttemptMs', {
      nullable: true,
      description: 'Median length of these attempts in milliseconds; null without any.',
    }),
  }),
})

builder.queryField('webhookStats', (t) =>
  t.field({
    type: StatsRef,
    description: "Numbers of the account's deliveries of the last 30 days by state, and how long their attempts took.",
    args: {
      filter: t.arg({
        type: DeliveriesFilterInput,
        description: 'Filter of the deliveries; all of them unless given.',
      }),
      createdAt: t.arg({ type: TimeRangeInput, description: ABOUT.createdAt, ...instead('createdAt') }),
    },
    ...resolvedBy(webhookStats, (args: FilterInput) => args),
  }),
)

const FIXED = ['__typename', 'id', 'test', 'jobId', 'url', 'createdAt', 'job']

/** Fields of deliveries by what changes them. All others change with the state alone, or not at all. */
const CHANGED_BY: Readonly<Record<string, readonly ChangingDeliveryValue[]>> = {
  ...Object.fromEntries(FIXED.map((name) => [name, []])),
  outcome: ['outcome'],
  outcomeCode: ['outcome'],
  finishedAt: ['finishedAt'],
  nextAttemptAt: ['nextAttemptAt'],
  attempts: ['attempts'],
  requestBody: ['state', 'round', 'attempt'],
  requestHeaders: ['state', 'round', 'attempt'],
}

builder.subscriptionField('deliveriesUpdated', (t) =>
  t.prismaField({
    description:
      'Webhook deliveries that match, one in each message, whenever they change; first the pending ones that match as they are now, up to 500, found as `deliveryChanges` finds them. Needs the scope account:admin.',
    deprecationReason: 'It never says that a delivery left the list. Follow `deliveryChanges`, which does.',
    args: {
      filter: t.arg({
        type: DeliveriesFilterInput,
        description: 'Deliveries that are followed; all of the account unless given.',
      }),
    },
    ...subscribedBy(deliveriesUpdated, (args: DeliveriesUpdatedInput, info) => ({
      ...args,
      watched: watchedBelow(info, CHANGED_BY, 'state', null),
    })),
    ...rowsOf(DeliveryRef, (delivery: Delivery) => delivery),
  }),
)

const DeliveryChangesRef = builder.objectRef<readonly DeliveryChange[]>('DeliveryChanges').implement({
  description: 'Changes of a list of deliveries: at most 500 deliveries and 10,000 ids of removed ones together.',
  fields: (t) => ({
    deliveries: t.prismaField({
      description: 'Deliveries that changed and match the filter, each in its latest state.',
      ...rowsOf([DeliveryRef], (changes: readonly DeliveryChange[]) =>
        changes.flatMap(({ delivery }) => delivery ?? []),
      ),
      extensions: { length: 100 },
    }),
    removedIds: t.idList({
      description:
        'Ids of deliveries that no longer match the filter, or were deleted. A client removes them from its list and ignores ids that it does not know.',
      resolve: (changes) => changes.flatMap(({ id, delivery }) => (delivery === null ? [id] : [])),
    }),
  }),
})

builder.subscriptionField('deliveryChanges', (t) =>
  t.field({
    type: DeliveryChangesRef,
    description:
      "Changes of the webhook deliveries that match: those of which a selected field changed, and the ids of those that no longer match or were deleted, so that a client's list stays true. It begins with the pending ones that match as they are now, up to the newest 500. They are searched among the newest 10,000 that match the filter's `jobId` and `createdAt`; a query finds the others. Needs the scope account:admin.",
    args: {
      filter: t.arg({
        type: DeliveriesFilterInput,
        description: 'Deliveries that are followed; all of the account unless given.',
      }),
      everyMs: t.arg.int({
        description: 'Shortest time between two messages in milliseconds: 100 to 60,000; 1,000 unless given.',
      }),
      endedWithinMs: t.arg.int({
        description:
          "Milliseconds, 0 to 300,000. The subscription also begins with the deliveries that ended within this time, up to 300 of the account's newest 1,000 deliveries; those of them that do not match the filter are in `removedIds`.",
      }),
    },
    ...subscribedBy(deliveryChanges, (args: DeliveryChangesInput, info) => ({
      ...args,
      watched: watchedBelow(info, CHANGED_BY, 'state', 'deliveries'),
    })),
    resolve: (changes: readonly DeliveryChange[]) => changes,
  }),
)
