import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { unknownId } from '../../errors/service-error.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { JobInterface } from '../../jobs/graphql/job-interface-graphql.ts'
import type { DeliveryState } from '../delivery/webhook-delivery.ts'
import { type DeliveryRequest, readRequests } from '../history/delivery-request.ts'
import type { AttemptView, DeliveryView } from '../history/delivery-view.ts'
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

const AttemptRef = builder.objectRef<AttemptView>('WebhookAttempt').implement({
  description: 'One attempt of a delivery.',
  fields: (t) => ({
    round: t.exposeInt('round', { description: '1, and one more for every redelivery by hand.' }),
    number: t.exposeInt('number', { description: '1 to 4 within its round.' }),
    startedAt: t.field({ type: 'DateTime', description: 'When it began.', resolve: (attempt) => attempt.startedAt }),
    durationMs: t.exposeInt('durationMs', { nullable: true, description: 'Null while it runs.' }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'succeeded, status_503, timeout, dns_failed, address_refused, tls_failed and the like.',
    }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true, description: 'The HTTP status, if one came.' }),
    response: t.exposeString('response', { nullable: true, description: 'The first 1,024 bytes of the body.' }),
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
function requestOf(ctx: GraphqlContext, { id }: DeliveryView): Promise<DeliveryRequest | undefined> {
  requireScope(ctx, JOB_READ_SCOPE)
  return requests.load(ctx, id)
}

const WHILE_KEPT = 'Null once no attempt can follow and the URLs in it have expired. Needs the scope job:read as well.'

export const DeliveryRef = builder.objectRef<DeliveryView>('WebhookDelivery').implement({
  description: 'A webhook delivery. Kept for 30 days.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its webhook-id.' }),
    test: t.boolean({ description: 'Whether sendTestWebhook made it.', resolve: ({ kind }) => kind === 'test' }),
    jobId: t.exposeID('jobId', { description: 'The job that it reports; in a test delivery an id without a job.' }),
    url: t.expose('url', { type: 'URL', description: 'Its URL, fixed when the delivery was created.' }),
    state: t.field({ type: DeliveryStateEnum, description: 'Its status.', resolve: ({ state }) => state }),
    outcome: t.exposeString('outcome', { nullable: true, description: 'Of the last attempt.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When the job finished.', resolve: (row) => row.createdAt }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Null while it is pending.',
      resolve: (row) => row.finishedAt,
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Null unless another attempt may follow.',
      resolve: (row) => row.nextAttemptAt,
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
    attempts: t.field({ type: [AttemptRef], description: 'Oldest first.', resolve: ({ attempts }) => [...attempts] }),
  }),
})

export async function showDelivery(ctx: GraphqlContext, id: string): Promise<DeliveryView> {
  const [delivery] = await findDeliveries(ctx, { ids: [id] })
  if (delivery === undefined) throw unknownId('delivery')
  return delivery
}

addNodeSource<DeliveryView>('msg', {
  typeOf: () => 'WebhookDelivery',
  load: showDelivery,
})

const deliveries = new BatchLoader<GraphqlContext, DeliveryView[]>(async (ctx, jobIds) =>
  Map.groupBy(await findDeliveries(ctx, { jobIds }), ({ jobId }) => jobId),
)

builder.interfaceField(JobInterface, 'deliveries', (t) =>
  t.field({
    type: [DeliveryRef],
    nullable: true,
    description: 'Its webhook deliveries, newest first. Needs the scope account:admin.',
    resolve: async ({ id }, _args, ctx) => (await deliveries.load(ctx, id)) ?? [],
  }),
)
