import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendTestWebhook } from '../../../src/webhooks/delivery/create-delivery.ts'
import { startWebhookWorker } from '../../../src/webhooks/delivery/start-webhook-worker.ts'
import { tidyWebhooks } from '../../../src/webhooks/delivery/tidy-webhooks.ts'
import { type Received, type Receiver, signedHeaders } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'

const HOUR_MS = 3_600_000

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  fixture = await openWebhookFixture()
  ;({ receiver, service } = fixture)
})
afterAll(() => fixture?.close())

const opens = (secret: string, request: Received) =>
  new Webhook(secret).verify(request.body.toString(), signedHeaders(request)) !== undefined

describe('createDelivery', () => {
  test.each([-HOUR_MS, HOUR_MS])('stamps by the database’s clock where the process’s is %i ms off', async (skewMs) => {
    const skewed = { ...service.runtime, now: () => new Date(Date.now() + skewMs) }
    const worker = await startWebhookWorker(skewed)
    try {
      const path = `/skew/${skewMs}`
      const owner = await createOwner(service, receiver.url + path)
      const id = await sendTestWebhook({ ...owner.ctx, now: skewed.now })
      expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', attempts: [{ outcome: 'succeeded' }] })
      const [fresh] = receiver.received(path)
      expect(opens(owner.secret, fresh!)).toBe(true)
      // The worker sends such a delivery as well, and does not sign it again for ever.
      await service.runtime.db.pool.query(
        `update webhook_delivery set state = 'pending', finished_at = null, attempt = 0, round = 2, timestamp = timestamp - 3600,
           next_attempt_at = now() - interval '2 minutes' where id = $1`,
        [id],
      )
      await tidyWebhooks(service.runtime)
      const [, anew] = await receiver.waitFor(path, 2)
      expect(opens(owner.secret, anew!)).toBe(true)
      await owner.outcomeOf(id)
    } finally {
      await worker.stop()
    }
  })

  test('signs with the newest secret alone where only the older one does not open', async () => {
    const owner = await createOwner(service, `${receiver.url}/older`)
    const fresh = await owner.rotate()
    await service.runtime.db.pool.query(
      `update webhook_secret set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)
       where account_id = $1 and expires_at is not null`,
      [owner.account],
    )
    const worker = await startWebhookWorker(service.runtime)
    try {
      expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ state: 'succeeded' })
    } finally {
      await worker.stop()
    }
    const [request] = receiver.received('/older')
    expect(request!.headers['webhook-signature']!.split(' ')).toHaveLength(1)
    expect(opens(fresh, request!)).toBe(true)
  })
})
