import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import type { RowQuery } from '../../db/row-query.ts'
import { unknownId } from '../../errors/service-error.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { queryOf } from '../../graphql/query-of.ts'
import { rowsOf } from '../../graphql/resolved-by.ts'
import { JobInterface } from '../../jobs/graphql/job-interface-graphql.ts'
import type { Job } from '../../jobs/job-shape.ts'
import type { DeliveryState } from '../delivery/webhook-delivery.ts'
import { type DeliveryRequest, readRequests } from '../history/delivery-request.ts'
import {
  ATTEMPT_VIEW,
  DELIVERY_VIEW,
  type Delivery,
  nextAttemptOf,
  oldestFirst,
  outcomeOf,
  responseOf,
} from '../history/delivery-view.ts'
import { findDeliveries } from '../history/webhook-deliveries.ts'

export const DeliveryStateEnum = describedEnum<DeliveryState>(
  'WebhookDeliveryState',
  'Where a delivery stands. SUCCEEDED and FAILED are final until it is sent again by hand.',
  {
    pending: 'An attempt runs, or another one follows.',
    succeeded: 'The receiver answered 2xx.',
    failed: 'No attempt follows.',
  },
)

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
