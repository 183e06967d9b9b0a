import type { Context } from '../../src/context.ts'
import { rotateWebhookSecret } from '../../src/webhooks/rotate-webhook-secret.ts'
import { sendTestWebhook } from '../../src/webhooks/send-test-webhook.ts'
import { setWebhookUrl } from '../../src/webhooks/set-webhook-url.ts'
import { type DeliveryView, webhookDeliveries } from '../../src/webhooks/webhook-deliveries.ts'
import type { TestRuntime } from './runtime.ts'
import { until } from './service.ts'

/** What the environment of a service must say so that it delivers to 127.0.0.1 and retries soon. */
export const WEBHOOK_ENV = { EGRESS_ALLOW: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3' }

export interface Owner {
  readonly account: string
  readonly key: string
  readonly keyId: string
  readonly ctx: Context
  /** Written, as a receiver holds it. */
  readonly secret: string
  sendTest(): Promise<string>
  setUrl(url: string | null): Promise<unknown>
  rotate(): Promise<string>
  delivery(id: string): Promise<DeliveryView>
  /** Waits until a delivery is final. */
  outcomeOf(id: string, deadlineMs?: number): Promise<DeliveryView>
}

/** An account with a known secret, a key of the default scopes, and a webhook URL where one is given. */
export async function createOwner({ runtime, createCaller }: TestRuntime, url: string | null = null): Promise<Owner> {
  const caller = await createCaller()
  const ctx = runtime.as({ kind: 'account', accountId: caller.account, credits: 1n })
  const secret = await rotateWebhookSecret(ctx)
  // The first secret, which nobody saw, would sign for a day more.
  await runtime.db.pool.query('delete from webhook_secret where account_id = $1 and expires_at is not null', [
    caller.account,
  ])
  if (url !== null) await setWebhookUrl(ctx, { url })
  const delivery = async (id: string) => {
    const { edges } = await webhookDeliveries(ctx, {})
    return edges.find(({ cursor }) => cursor === id)!.node
  }
  return {
    ...caller,
    ctx,
    secret,
    delivery,
    sendTest: () => sendTestWebhook(ctx),
    setUrl: (next) => setWebhookUrl(ctx, { url: next }),
    rotate: () => rotateWebhookSecret(ctx),
    outcomeOf: (id, deadlineMs = 25_000) =>
      until(
        async () => {
          const found = await delivery(id)
          return found.state === 'pending' ? undefined : found
        },
        deadlineMs,
        `delivery ${id} to end`,
      ) as Promise<DeliveryView>,
  }
}
