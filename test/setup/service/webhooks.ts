import type { Runtime } from '../../../src/runtime/runtime.ts'
import type { ServiceContext } from '../../../src/runtime/services.ts'
import { sendTestWebhook } from '../../../src/webhooks/delivery/create-delivery.ts'
import { rotateWebhookSecret, setWebhookUrl } from '../../../src/webhooks/webhook.ts'
import { type DeliveryView, viewOf, webhookDeliveries } from '../../../src/webhooks/webhook-deliveries.ts'
import { type Certificates, testCertificates } from '../servers/certificates.ts'
import { type Receiver, startReceiver } from '../servers/receiver.ts'
import { until } from '../wait.ts'
import { startTestRuntime, type TestRuntime, type TestRuntimeOptions } from './runtime.ts'

/** With this environment a service delivers to 127.0.0.1 and retries soon. */
export const WEBHOOK_ENV = { EGRESS_ALLOW: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3' }

/** Nearly every test of webhooks needs these: a receiver that the service trusts, and the service. */
export interface WebhookFixture {
  readonly certificates: Certificates
  readonly receiver: Receiver
  readonly service: TestRuntime
  close(): Promise<void>
}

/** @param options as for `startTestRuntime`; `env` comes on top of WEBHOOK_ENV */
export async function openWebhookFixture({ env, ...options }: TestRuntimeOptions = {}): Promise<WebhookFixture> {
  const certificates = testCertificates()
  const receiver = await startReceiver(certificates.good)
  const service = await startTestRuntime({ ...options, env: { ...WEBHOOK_ENV, ...env } })
  return {
    certificates,
    receiver,
    service,
    close: async () => {
      await service.close()
      await receiver.close()
    },
  }
}

export interface Owner {
  readonly account: string
  readonly key: string
  readonly keyId: string
  readonly ctx: ServiceContext
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
  // The first secret, which no caller saw, would sign for a day more.
  await runtime.db.pool.query('delete from webhook_secret where account_id = $1 and expires_at is not null', [
    caller.account,
  ])
  if (url !== null) await setWebhookUrl(ctx, { url })
  const delivery = async (id: string) => {
    const { edges } = await webhookDeliveries(ctx, {})
    return viewOf(edges.find(({ cursor }) => cursor === id)!.node, ctx)
  }
  return {
    ...caller,
    ctx,
    secret,
    delivery,
    sendTest: () => sendTestWebhook(ctx),
    setUrl: (next) => setWebhookUrl(ctx, { url: next }),
    rotate: () => rotateWebhookSecret(ctx),
    outcomeOf: (id, deadlineMs = 60_000) =>
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

/** Queues so many more deliveries like one that waits, all at once: submissions would take minutes. */
export async function multiply({ db }: Pick<Runtime, 'db'>, deliveryId: string, count: number): Promise<void> {
  await db.pool.query(
    `with template as (select * from webhook_delivery where id = $1), made as (
       insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, next_attempt_at)
       select overlay(id placing to_char(n, 'FM00000') from length(id) - 4), account_id, kind, job_id, url, timestamp, signature,
         body, created_at, next_attempt_at from template, generate_series(10000, 9999 + $2::int) n returning id)
     insert into pgboss.job (id, name, data, group_id, retry_limit, start_after, expire_seconds, keep_until, policy)
     select gen_random_uuid(), q.name, jsonb_build_object('jobId', made.id, 'lane', q.data->>'lane'), q.group_id, q.retry_limit,
       q.start_after, q.expire_seconds, q.keep_until, q.policy
     from made, (select * from pgboss.job where data->>'jobId' = $1) q`,
    [deliveryId, count],
  )
}
