import { holdsIn } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import { AccountRef } from '../accounts/account-graphql.ts'
import { NEWEST } from '../db/own/own-rows.ts'
import { publicIdOf } from '../db/page.ts'
import type { RowQuery } from '../db/row-query.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { BulkErrorRef } from '../graphql/request-error.ts'
import { loadedBy, presentedBy, queriedBy, resolvedBy } from '../graphql/resolved-by.ts'
import type { Each } from '../jobs/each-id.ts'
import { BULK, ERROR } from '../jobs/graphql/job-management-graphql.ts'
import { sendTestWebhook } from './delivery/create-delivery.ts'
import {
  MAX_DELIVERIES,
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
import { findDeliveries, newestDeliveries } from './webhook-deliveries.ts'
import { DeliveriesFilterInput, DeliveryRef, showDelivery } from './webhook-deliveries-graphql.ts'

const SecretRef = builder.prismaObject('WebhookSecret', {
  description: 'Secret that signs webhook deliveries. `rotateWebhookSecret` shows its value once.',
  select: { id: true, publicId: true, createdAt: true, expiresAt: true },
  fields: (t) => ({
    id: t.id({
      description: 'Id of the secret, for `expireWebhookSecret`.',
      resolve: (secret) => publicIdOf('secret', secret),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the secret was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the secret stops signing; null for the newest one.',
    }),
  }),
})

const idOf = ({ id }: { readonly id: string }): string => id

const WebhookRef = builder.prismaObject('Account', {
  variant: 'Webhook',
  description: 'Webhook of an account: where its jobs are reported.',
  select: WEBHOOK_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the account, which has this one webhook.' }),
    url: t.expose('webhookUrl', {
      type: 'URL',
      nullable: true,
      description: 'URL that is notified of jobs that were submitted without a webhook URL; null if there is none.',
    }),
    secrets: t.relation('webhookSecrets', {
      type: SecretRef,
      description: 'Secrets that sign now, newest first.',
      query: (_args, ctx) => signingSecretsNow(ctx),
    }),
    deliveries: t.prismaField({
      ...loadedBy([DeliveryRef], newestDeliveries, idOf),
      nullable: false,
      description: `Newest ${NEWEST} deliveries of the account, newest first.`,
      extensions: { length: NEWEST },
    }),
    account: t.variant(AccountRef, { description: 'Account of the webhook.' }),
  }),
})

builder.prismaObjectField(SecretRef, 'webhook', (t) =>
  t.relation('account', { type: WebhookRef, description: 'Webhook whose deliveries the secret signs.' }),
)

builder.prismaObjectField(AccountRef, 'deliveries', (t) =>
  t.prismaField({
    ...loadedBy([DeliveryRef], newestDeliveries, idOf),
    description: `Newest ${NEWEST} deliveries of the account, newest first. Null if the caller may not read them.`,
    seenBy: (ctx, { id }) => holdsIn(ctx, id, ACCOUNT_ADMIN_SCOPE),
    extensions: { length: NEWEST },
  }),
)

builder.prismaObjectField(AccountRef, 'webhook', (t) =>
  t.variant(WebhookRef, {
    description: 'Webhook of the account. Null if the caller may not read it.',
    isNull: ({ id }, _args, ctx) => !holdsIn(ctx, id, ACCOUNT_ADMIN_SCOPE),
  }),
)

const RotationRef = builder.objectRef<string>('RotateWebhookSecretSuccess').implement({
  description: 'New signing secret.',
  fields: (t) => ({
    secret: t.string({
      description: 'Value of the secret, which cannot be read again.',
      resolve: (secret) => secret,
    }),
    webhook: t.prismaField({
      description: 'Webhook, with the secrets that sign now.',
      ...queriedBy(WebhookRef, webhook, () => ({})),
    }),
  }),
})

async function deliveriesById(ctx: GraphqlContext, ids: readonly string[], query: RowQuery) {
  return new Map((await findDeliveries(ctx, { ids }, query)).map((delivery) => [delivery.id, delivery]))
}

const RedeliveredRef = builder.objectRef<Each<string>>('RedeliveredWebhook').implement({
  description: 'Result of one id of `redeliverWebhooks`.',
  fields: (t) => ({
    deliveryId: t.exposeID('id', { description: 'Id of the delivery, as it was sent.' }),
    delivery: t.prismaField({
      description: 'Delivery as it is now; null with an error.',
      ...loadedBy(DeliveryRef, deliveriesById, ({ result }: Each<string>) => result),
    }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const RedeliveryRef = builder.objectRef<Redelivery>('RedeliverWebhooksSuccess').implement({
  description: 'Deliveries that are sent again.',
  fields: (t) => ({
    deliveries: t.exposeInt('deliveries', { description: 'Number of deliveries that are sent again.' }),
    more: t.exposeBoolean('more', {
      description: 'True if others match that are not sent yet: repeat the mutation with `after: last`.',
    }),
    last: t.exposeID('last', {
      nullable: true,
      description: 'Id of the newest of them; null if none matches, or if `ids` named them.',
    }),
    results: t.field({
      type: [RedeliveredRef],
      nullable: true,
      description: 'Results of the `ids`, in their order; an id that was sent twice has one. Null without `ids`.',
      resolve: ({ results }) => results && [...results],
      extensions: BULK,
    }),
    sent: t.prismaField({
      type: [DeliveryRef],
      description: 'Deliveries that were sent again, as they are now, oldest first.',
      resolve: async (query, { sent }, _args, ctx) =>
        (await findDeliveries(ctx, { ids: sent }, query)).reverse() as never,
      extensions: { length: MAX_DELIVERIES },
    }),
  }),
})

builder.queryFields((t) => ({
  webhook: t.prismaField({
    description: "Webhook of the caller's account. Needs the scope account:admin, as everything about webhooks does.",
    ...queriedBy(WebhookRef, webhook, () => ({})),
  }),
}))

builder.mutationFields((t) => ({
  setWebhookUrl: t.prismaField({
    errors: result('Webhook with its new URL', 'the URL stays as it is'),
    description: "Sets the account's webhook URL; null clears it. Deliveries that exist already keep their URL.",
    args: { url: t.arg({ type: 'URL', description: 'URL of the receiver: https, at most 2,048 characters.' }) },
    ...queriedBy(WebhookRef, setWebhookUrl, (args: { url?: string | null | undefined }) => args),
  }),
  rotateWebhookSecret: t.field({
    type: RotationRef,
    errors: result('New signing secret', 'none was issued'),
    description:
      'Issues a new signing secret, which cannot be read again. The previous secret also signs for 24 hours more.',
    ...resolvedBy(rotateWebhookSecret, () => undefined),
  }),
  expireWebhookSecret: t.prismaField({
    errors: result('Webhook without its previous secret', 'no secret was stopped'),
    description: 'Stops the previous signing secret at once. The newest one cannot be stopped: rotate it first.',
    args: { id: t.arg.id({ required: true, description: 'Id of a secret.' }) },
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
    errors: result('Deliveries that are sent again', 'none is sent'),
    description:
      'Sends ended deliveries again: those that match, oldest first, at most 200, and only failed ones unless the filter names states; or up to 100 that `ids` names, each as `redeliverWebhook` does. One that cannot be sent fails alone.',
    args: {
      ids: t.arg.idList({ description: 'Ids of deliveries; not together with `filter` or `after`.' }),
      filter: t.arg({
        type: DeliveriesFilterInput,
        description: 'Filter of the deliveries; all failed ones unless given.',
      }),
      after: t.arg.id({
        description:
          'Id of a delivery, `last` of the answer before; only newer ones are sent, as those that were sent may match again.',
      }),
    },
    ...resolvedBy(redeliverWebhooks, (args: RedeliveryInput) => args),
  }),
  redeliverWebhook: t.prismaField({
    errors: result('Delivery that is sent again', 'it is not sent'),
    description: 'Sends a delivery again: the same id, a fresh timestamp, signature and output URLs.',
    args: { id: t.arg.id({ required: true, description: 'Id of a delivery.' }) },
    ...presentedBy(DeliveryRef, redeliverWebhook, (args: { id: string }) => args, showDelivery),
  }),
  sendTestWebhook: t.prismaField({
    errors: result('Test delivery', 'none is sent'),
    description: "Sends a test delivery to the account's webhook URL.",
    ...presentedBy(DeliveryRef, sendTestWebhook, () => undefined, showDelivery),
  }),
}))
