import { publicIdOf } from '../db/page.ts'
import { builder } from '../graphql/builder.ts'
import { presentedBy, queriedBy, resolvedBy } from '../graphql/resolved-by.ts'
import type { Each } from '../jobs/each-id.ts'
import { BULK, BulkErrorRef, ERROR } from '../jobs/graphql/job-management-graphql.ts'
import { sendTestWebhook } from './delivery/create-delivery.ts'
import {
  type Redelivery,
  type RedeliveryInput,
  redeliverWebhook,
  redeliverWebhooks,
} from './delivery/redeliver-webhook.ts'
import {
  expireWebhookSecret,
  rotateWebhookSecret,
  setWebhookUrl,
  signingSecretsNow,
  WEBHOOK_VIEW,
  webhook,
} from './webhook.ts'
import { DeliveriesFilterInput, DeliveryRef, showDelivery } from './webhook-deliveries-graphql.ts'

const SecretRef = builder.prismaObject('WebhookSecret', {
  description: 'A secret that signs webhook deliveries. Its value is shown once, by rotateWebhookSecret.',
  select: { id: true, publicId: true, createdAt: true, expiresAt: true },
  fields: (t) => ({
    id: t.id({
      description: 'What expireWebhookSecret takes.',
      resolve: (secret) => publicIdOf('secret', secret),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops signing; null for the newest.',
    }),
  }),
})

const WebhookRef = builder.prismaObject('Account', {
  variant: 'Webhook',
  description: "The account's webhook.",
  select: WEBHOOK_VIEW,
  fields: (t) => ({
    url: t.expose('webhookUrl', {
      type: 'URL',
      nullable: true,
      description: 'The URL for deliveries of jobs that were submitted without a webhook URL.',
    }),
    secrets: t.relation('webhookSecrets', {
      type: SecretRef,
      description: 'Newest first.',
      query: (_args, ctx) => signingSecretsNow(ctx),
    }),
  }),
})

const RotationRef = builder.objectRef<string>('RotateWebhookSecretSuccess').implement({
  description: 'A new signing secret.',
  fields: (t) => ({
    secret: t.string({
      description: 'The value of the secret, which cannot be read again.',
      resolve: (secret) => secret,
    }),
  }),
})

const RedeliveredRef = builder.objectRef<Each<string>>('RedeliveredWebhook').implement({
  description: 'What came of one id of redeliverWebhooks.',
  fields: (t) => ({
    deliveryId: t.exposeID('id', { description: 'The webhook-id that was named.' }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const RedeliveryRef = builder.objectRef<Redelivery>('RedeliverWebhooksSuccess').implement({
  description: 'What was sent again.',
  fields: (t) => ({
    deliveries: t.exposeInt('deliveries', { description: 'How many deliveries.' }),
    more: t.exposeBoolean('more', { description: 'Whether others match that were not sent: ask again, after `last`.' }),
    last: t.exposeID('last', {
      nullable: true,
      description: 'The newest of them; null where none matches, or `ids` named them.',
    }),
    results: t.field({
      type: [RedeliveredRef],
      nullable: true,
      description:
        'What came of each of `ids`, in their order; one that is named twice is here once. Null without `ids`.',
      resolve: ({ results }) => results && [...results],
      extensions: BULK,
    }),
  }),
})

builder.queryFields((t) => ({
  webhook: t.prismaField({
    description: "The account's webhook. Needs the scope account:admin, as everything about webhooks does.",
    ...queriedBy(WebhookRef, webhook, () => ({})),
  }),
}))

builder.mutationFields((t) => ({
  setWebhookUrl: t.prismaField({
    errors: {},
    description: "Sets the account's webhook URL; null clears it. Deliveries that exist already keep their URL.",
    args: { url: t.arg({ type: 'URL', description: 'https, at most 2,048 characters.' }) },
    ...queriedBy(WebhookRef, setWebhookUrl, (args: { url?: string | null | undefined }) => args),
  }),
  rotateWebhookSecret: t.field({
    type: RotationRef,
    errors: {},
    description:
      'Issues a new signing secret, which cannot be read again. The previous secret also signs for 24 hours more.',
    ...resolvedBy(rotateWebhookSecret, () => undefined),
  }),
  expireWebhookSecret: t.prismaField({
    errors: {},
    description: 'Stops the previous signing secret at once. The newest one cannot be stopped: rotate it first.',
    args: { id: t.arg.id({ required: true, description: 'The id of a secret.' }) },
    ...presentedBy(
      WebhookRef,
      expireWebhookSecret,
      (args: { id: string }) => args,
      (ctx, _done, query) => webhook(ctx, { query }),
    ),
  }),
}))

builder.mutationFields((t) => ({
  redeliverWebhooks: t.field({
    type: RedeliveryRef,
    errors: {},
    description:
      'Sends finished deliveries that match again, oldest first, at most 200: failed ones unless the filter names states. Or each of up to 100 that `ids` names, as redeliverWebhook does; one that cannot be fails alone.',
    args: {
      ids: t.arg.idList({ description: 'Webhook-ids; with neither `filter` nor `after`.' }),
      filter: t.arg({ type: DeliveriesFilterInput, description: 'Which deliveries.' }),
      after: t.arg.id({
        description:
          'Only those that are newer than this one, `last` of the answer before: what was sent may match again.',
      }),
    },
    ...resolvedBy(redeliverWebhooks, (args: RedeliveryInput) => args),
  }),
  redeliverWebhook: t.prismaField({
    errors: {},
    description: 'Sends a delivery again: the same id, a fresh timestamp, signature and output URLs.',
    args: { id: t.arg.id({ required: true, description: 'A webhook-id.' }) },
    ...presentedBy(DeliveryRef, redeliverWebhook, (args: { id: string }) => args, showDelivery),
  }),
  sendTestWebhook: t.prismaField({
    errors: {},
    description: "Sends a test delivery to the account's webhook URL.",
    ...presentedBy(DeliveryRef, sendTestWebhook, () => undefined, showDelivery),
  }),
}))
