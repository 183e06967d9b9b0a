import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { sendTestWebhook } from './send-test-webhook.ts'
import { setWebhookUrl } from './set-webhook-url.ts'
import { type WebhookSecretView, type WebhookView, webhook } from './webhook.ts'
import { type AttemptView, type DeliveriesInput, type DeliveryView, webhookDeliveries } from './webhook-deliveries.ts'
import { DELIVERY_STATES, type DeliveryState } from './webhook-delivery.ts'

const DeliveryStateEnum = builder.enumType('WebhookDeliveryState', {
  description: 'Where a delivery stands. SUCCEEDED and FAILED are final until it is sent again by hand.',
  values: Object.fromEntries(DELIVERY_STATES.map((value) => [value.toUpperCase(), { value }])) as {
    [S in DeliveryState as Uppercase<S>]: { value: S }
  },
})

const SecretRef = builder.objectRef<WebhookSecretView>('WebhookSecret').implement({
  description: 'A secret that signs callbacks. Its value is shown once, by rotateWebhookSecret.',
  fields: (t) => ({
    createdAt: t.field({ type: 'DateTime', description: 'When it was issued.', resolve: (secret) => secret.createdAt }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it stops signing; null for the newest.',
      resolve: (secret) => secret.expiresAt,
    }),
  }),
})

const WebhookRef = builder.objectRef<WebhookView>('Webhook').implement({
  description: "The account's webhook.",
  fields: (t) => ({
    url: t.exposeString('url', {
      nullable: true,
      description: 'Where callbacks go unless a submission says otherwise.',
    }),
    secrets: t.field({ type: [SecretRef], description: 'Newest first.', resolve: ({ secrets }) => [...secrets] }),
  }),
})

const AttemptRef = builder.objectRef<AttemptView>('WebhookAttempt').implement({
  description: 'One try to hand a delivery over.',
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

const DeliveryRef = builder.objectRef<DeliveryView>('WebhookDelivery').implement({
  description: 'A callback. Kept for 30 days.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its webhook-id.' }),
    test: t.boolean({ description: 'Whether sendTestWebhook made it.', resolve: ({ kind }) => kind === 'test' }),
    jobId: t.exposeID('jobId', { description: 'The job that it is about; of a test, one that never was.' }),
    url: t.exposeString('url', { description: 'Where it goes: frozen with it.' }),
    state: t.field({ type: DeliveryStateEnum, description: 'Where it stands.', resolve: ({ state }) => state }),
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
    attempts: t.field({ type: [AttemptRef], description: 'Oldest first.', resolve: ({ attempts }) => [...attempts] }),
  }),
})

builder.queryFields((t) => ({
  webhook: t.field({
    type: WebhookRef,
    description: "The account's webhook. Needs the scope account:admin, as everything about webhooks does.",
    ...resolvedBy(webhook, () => undefined),
  }),
  webhookDeliveries: t.connection({
    type: DeliveryRef,
    description: "The account's deliveries, newest first; `first` is 1 to 100, 50 unless given. Forwards only.",
    args: {
      jobId: t.arg.id({ description: 'Only of this job.' }),
      outcome: t.arg.string({ description: 'Only with this outcome.' }),
    },
    ...resolvedBy(webhookDeliveries, (args: DeliveriesInput) => args),
  }),
}))

builder.mutationFields((t) => ({
  setWebhookUrl: t.field({
    type: WebhookRef,
    description: 'Sets where callbacks go; null clears it. Frozen deliveries go where they were frozen to.',
    args: { url: t.arg.string({ description: 'https, at most 2,048 characters.' }) },
    ...resolvedBy(setWebhookUrl, (args: { url?: string | null | undefined }) => ({ url: args.url ?? null })),
  }),
  rotateWebhookSecret: t.string({
    description: 'Issues a new secret and returns it, this once. The one before it signs for 24 hours more.',
    ...resolvedBy(rotateWebhookSecret, () => undefined),
  }),
  redeliverWebhook: t.id({
    description: 'Sends a delivery again: the same id, a fresh timestamp, signature and output URLs.',
    args: { id: t.arg.id({ required: true, description: 'A webhook-id.' }) },
    ...resolvedBy(redeliverWebhook, (args: { id: string }) => args),
  }),
  sendTestWebhook: t.id({
    description: "Sends a callback about a job that never was to the account's URL. Returns its webhook-id.",
    ...resolvedBy(sendTestWebhook, () => undefined),
  }),
}))
