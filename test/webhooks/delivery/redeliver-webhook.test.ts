import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { followPublicUrl, recordPublicUrl } from '../../../src/runtime/public-url.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { redeliverWebhook } from '../../../src/webhooks/delivery/redeliver-webhook.ts'
import { startWebhookWorker, type WebhookWorker } from '../../../src/webhooks/delivery/start-webhook-worker.ts'
import { call } from '../../setup/http.ts'
import type { Received, Receiver } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime
/** Another process: it does not listen, has no PUBLIC_URL, and guesses a port that is not the API's. */
let other: Runtime
let worker: WebhookWorker

beforeAll(async () => {
  fixture = await openWebhookFixture({ worker: true })
  ;({ receiver, service } = fixture)
  other = await openRuntime(service.runtime.settings, openLog('error'), { supervise: false })
  worker = await startWebhookWorker(other)
})
// A test that is tried again counts its own requests.
beforeEach(() => receiver.forget())
afterAll(async () => {
  await worker?.stop()
  await other?.close()
  await fixture?.close()
})

const audioOf = ({ body }: Received) => (JSON.parse(body.toString()) as { outputs: { audio: string } }).outputs.audio

describe('redeliverWebhook', () => {
  test('from a process that is not the API sends URLs that lead to the API', async () => {
    const owner = await createOwner(service, `${receiver.url}/again`)
    const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' } }
    expect((await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: owner.key, body })).status).toBe(202)
    const [first] = await receiver.waitFor('/again')
    const id = first!.headers['webhook-id']!
    await owner.outcomeOf(id)
    const actor = { kind: 'account', accountId: owner.account, credits: 1n } as const
    await redeliverWebhook(other.as(actor), { id })
    const [, again] = await receiver.waitFor('/again', 2)
    expect(again!.headers['webhook-id']).toBe(id)
    expect(audioOf(again!).startsWith(`${service.url}/media/`)).toBe(true)
    expect((await call(audioOf(again!))).status).toBe(200)
  })

  test('keeps the attempts of the last ten rounds: a delivery that is sent again and again does not grow', async () => {
    const owner = await createOwner(service, `${receiver.url}/rounds`)
    const id = await owner.sendTest()
    await owner.outcomeOf(id)
    const { pool } = service.runtime.db
    await pool.query('update webhook_delivery set round = 30 where id = $1', [id])
    await pool.query(
      `insert into webhook_attempt (delivery_id, round, number, started_at) select $1, n, 1, now() from generate_series(2, 30) n`,
      [id],
    )
    await redeliverWebhook(other.as({ kind: 'account', accountId: owner.account, credits: 1n }), { id })
    await receiver.waitFor('/rounds', 2)
    await owner.outcomeOf(id)
    const { rows } = await pool.query('select round from webhook_attempt where delivery_id = $1 order by round', [id])
    expect(rows.map(({ round }) => round)).toEqual([22, 23, 24, 25, 26, 27, 28, 29, 30, 31])
  })

  test('a test webhook has the URLs that a real one has, fresh at every redelivery', async () => {
    const owner = await createOwner(service, `${receiver.url}/sample`)
    const id = await owner.sendTest()
    await owner.outcomeOf(id)
    await redeliverWebhook(other.as({ kind: 'account', accountId: owner.account, credits: 1n }), { id })
    const requests = await receiver.waitFor('/sample', 2)
    for (const request of requests) {
      const url = new URL(audioOf(request))
      expect(url.href.startsWith(`${service.url}/media/job_`)).toBe(true)
      expect(Number(url.searchParams.get('expires')) - Number(request.headers['webhook-timestamp'])).toBeGreaterThan(
        800,
      )
    }
    const [first, again] = requests.map(({ body }) => ({ ...JSON.parse(body.toString()), outputs: null }))
    expect(again).toEqual(first)
  })

  test('goes to the account’s URL of now, or where that is cleared, to the one before', async () => {
    const owner = await createOwner(service, `${receiver.url}/old`)
    const id = await owner.sendTest()
    await owner.outcomeOf(id)
    await owner.setUrl(`${receiver.url}/mended`)
    await redeliverWebhook(owner.ctx, { id })
    const [first] = receiver.received('/old')
    const [mended] = await receiver.waitFor('/mended')
    expect(mended!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', url: `${receiver.url}/mended` })
    await owner.setUrl(null)
    await redeliverWebhook(owner.ctx, { id })
    await receiver.waitFor('/mended', 2)
    await owner.outcomeOf(id)
    expect(receiver.received('/old')).toHaveLength(1)
  })

  test('goes to the submission’s own URL where there was one, whatever the account’s is', async () => {
    const owner = await createOwner(service, `${receiver.url}/account`)
    const inputs = { text: 'Hi', voice: 'aria', language: 'English' }
    const body = { inputs, webhook_url: `${receiver.url}/mine` }
    expect((await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: owner.key, body })).status).toBe(202)
    const [first] = await receiver.waitFor('/mine')
    const id = first!.headers['webhook-id']!
    await owner.outcomeOf(id)
    await owner.setUrl(`${receiver.url}/elsewhere`)
    await redeliverWebhook(owner.ctx, { id })
    await receiver.waitFor('/mine', 2)
    expect([receiver.received('/account'), receiver.received('/elsewhere')]).toEqual([[], []])
  })

  test('only marks the delivery: its content is made by the worker that sends it', async () => {
    const owner = await createOwner(service, `${receiver.url}/mark`)
    const id = await owner.sendTest()
    await owner.outcomeOf(id)
    await worker.stop()
    await redeliverWebhook(owner.ctx, { id })
    const { rows } = await other.db.pool.query(
      'select state, round, attempt, timestamp, signature, body from webhook_delivery where id = $1',
      [id],
    )
    expect(rows).toEqual([{ state: 'pending', round: 2, attempt: 0, timestamp: '0', signature: '', body: null }])
    worker = await startWebhookWorker(other)
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded' })
    const [, again] = receiver.received('/mark')
    expect(again!.headers['webhook-signature']).toMatch(/^v1,/)
  })

  test('a process that lasts hears where the API listens now', async () => {
    await followPublicUrl(other)
    expect(other.publicUrl).toBe(service.url)
    await recordPublicUrl(service.runtime, 'https://voice.example')
    await until(() => other.publicUrl === 'https://voice.example', TIMEOUT_MS, 'the new URL')
    await recordPublicUrl(service.runtime, service.url)
    await until(() => other.publicUrl === service.url, TIMEOUT_MS, 'the old URL')
  })
})
