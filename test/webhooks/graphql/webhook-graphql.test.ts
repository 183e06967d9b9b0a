import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import type { Received, Receiver } from '../../setup/servers/receiver.ts'
import { codeOf, errorOf, mutation } from '../../setup/service/graphql.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  fixture = await openWebhookFixture({ webhooks: true })
  ;({ receiver, service } = fixture)
})
afterAll(() => fixture?.close())

interface Answer {
  data: Record<string, unknown> | null
  errors?: { extensions: { code: string; details?: { path: string }[] } }[]
}

const ask = async (key: string, query: string): Promise<Answer> =>
  (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query } })).json<Answer>()

async function admin(url: string | null = null) {
  const owner = await createOwner(service, url)
  const { apiKey } = await service.createKey(owner.account, ['account:admin'])
  return { owner, key: apiKey, ask: (query: string) => ask(apiKey, query) }
}

const ROTATE = 'mutation { rotateWebhookSecret { ... on RotateWebhookSecretSuccess { secret } } }'
const redeliver = (id: string) => mutation(`redeliverWebhook(id: "${id}")`, '... on WebhookDelivery { id state }')

const FIELDS = [
  '{ webhook { url } }',
  '{ webhookDeliveries { edges { node { id } } } }',
  '{ webhookStats { failed } }',
  'mutation { setWebhookUrl(url: null) { __typename } }',
  'mutation { rotateWebhookSecret { __typename } }',
  'mutation { sendTestWebhook { __typename } }',
  'mutation { redeliverWebhooks { __typename } }',
  'mutation { expireWebhookSecret(id: "secret_1") { __typename } }',
  'mutation { redeliverWebhook(id: "msg_01m7xrc756fn39fvt6h8jqqzvw") { __typename } }',
]

describe('the webhook door', () => {
  test.each(FIELDS)('%s needs the scope account:admin, which no key has by default', async (query) => {
    const { key } = await service.createCaller()
    expect(codeOf(await ask(key, query))).toBe('FORBIDDEN')
    const reply = await call(`${service.url}/graphql`, { method: 'POST', body: { query } })
    expect(codeOf(reply.json<Answer>())).toBe('UNAUTHORIZED')
  })

  test('a URL is set, judged and cleared; secrets are shown by age only', async () => {
    const { ask, owner } = await admin()
    const url = `${receiver.url}/x`
    const set = await ask(
      mutation(`setWebhookUrl(url: "${url}")`, '... on Webhook { url secrets { createdAt expiresAt } }'),
    )
    expect(set.data).toEqual({
      setWebhookUrl: { url, secrets: [{ createdAt: expect.stringMatching(/Z$/), expiresAt: null }] },
    })
    for (const bad of ['http://hooks.example.org/', 'https://10.0.0.1/', 'https://a:b@hooks.example.org/']) {
      const refused = await ask(mutation(`setWebhookUrl(url: "${bad}")`, ''))
      expect(errorOf(refused)).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/url' }] })
    }
    const nonsense = await ask(mutation('setWebhookUrl(url: "nonsense")', ''))
    expect(nonsense.errors?.[0]?.extensions.code).toBe('INVALID_REQUEST')
    expect((await ask('{ webhook { url } }')).data).toEqual({ webhook: { url } })
    await owner.rotate()
    const rotated = (await ask('{ webhook { secrets { expiresAt } } }')).data as {
      webhook: { secrets: { expiresAt: string | null }[] }
    }
    const hours = (Date.parse(rotated.webhook.secrets[1]!.expiresAt!) - Date.now()) / 3_600_000
    expect([rotated.webhook.secrets[0]!.expiresAt, Math.round(hours)]).toEqual([null, 24])
    const forgotten = await ask(mutation('setWebhookUrl', '... on Webhook { url }'))
    expect(errorOf(forgotten)).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/url' }] })
    expect((await ask('mutation { setWebhookUrl(url: null) { ... on Webhook { url } } }')).data).toEqual({
      setWebhookUrl: { url: null },
    })
  })

  test('20 rotations at once give 20 secrets, of which the newest two sign', async () => {
    const { ask, owner } = await admin(`${receiver.url}/parallel`)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(ROTATE)))
    const secrets = answers.map(({ data }) => (data!.rotateWebhookSecret as { secret: string }).secret)
    expect(new Set(secrets).size).toBe(20)
    expect(secrets.every((secret) => /^whsec_[A-Za-z0-9+/]{43}=$/.test(secret))).toBe(true)
    const { rows } = await service.runtime.db.pool.query(
      'select sealed from webhook_secret where account_id = $1 order by id desc',
      [owner.account],
    )
    expect(rows).toHaveLength(2)
    const stored = rows.map(
      ({ sealed }) => `whsec_${service.runtime.vault.open(owner.account, sealed).toString('base64')}`,
    )
    expect(secrets).toEqual(expect.arrayContaining(stored))
  })

  test('deliveries are followed to their end, paged newest first, filtered and counted', async () => {
    const { ask, owner, key } = await admin(`${receiver.url}/paged`)
    const client = openSocketClient(service.url, key)
    const live = client.subscribe<{ deliveriesUpdated: { id: string; state: string } }>(
      'subscription { deliveriesUpdated { id state } }',
    )
    // A subscriber misses deliveries that end before it follows: none ends until all follow.
    const followed = Promise.withResolvers<void>()
    receiver.on('/paged', (response) => void followed.promise.then(() => response.writeHead(204).end()))
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.unshift(await owner.sendTest())
    for (const id of ids) await live.waitFor(({ deliveriesUpdated }) => deliveriesUpdated.id === id)
    followed.resolve()
    await Promise.all(ids.map((id) => owner.outcomeOf(id)))
    for (const id of ids)
      await live.waitFor(
        ({ deliveriesUpdated }) => deliveriesUpdated.id === id && deliveriesUpdated.state === 'SUCCEEDED',
      )
    await client.dispose()
    const total = async (args: string) =>
      (await ask(`{ webhookDeliveries${args} { totalCount edges { node { id } } } }`)).data?.webhookDeliveries
    const all = ids.map((id) => ({ node: { id } }))
    expect(await total('(states: [SUCCEEDED])')).toEqual({ totalCount: 5, edges: all })
    expect(await total('(outcomes: ["succeeded", "timeout"])')).toEqual({ totalCount: 5, edges: all })
    expect(await total('(states: [FAILED, PENDING])')).toEqual({ totalCount: 0, edges: [] })
    expect(await total('(createdAt: {to: "2026-01-01T00:00:00Z"})')).toEqual({ totalCount: 0, edges: [] })
    // Tests are about no job, so of no endpoint.
    expect(await total('(endpointKeys: ["voice.tts"])')).toEqual({ totalCount: 0, edges: [] })
    type Page = { edges: { cursor: string; node: { id: string; jobId: string } }[]; pageInfo: { hasNextPage: boolean } }
    const page = async (args: string) =>
      (await ask(`{ webhookDeliveries(${args}) { edges { cursor node { id jobId } } pageInfo { hasNextPage } } }`)).data
        ?.webhookDeliveries as Page
    const first = await page('first: 3')
    const second = await page(`first: 3, after: "${first.edges[2]!.cursor}"`)
    expect([...first.edges, ...second.edges].map(({ node }) => node.id)).toEqual(ids)
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false])
    const { jobId } = first.edges[1]!.node
    expect((await page(`jobId: "${jobId}"`)).edges.map(({ node }) => node.id)).toEqual([ids[1]])
    expect((await page('outcome: "succeeded"')).edges).toHaveLength(5)
    expect((await page('outcome: "status_503"')).edges).toEqual([])
    const [, , , fourth] = ids
    expect((await page(`last: 2, before: "${fourth}"`)).edges.map(({ node }) => node.id)).toEqual(ids.slice(1, 3))
    for (const wrong of [
      'first: 1, last: 1',
      'first: 0',
      'first: 101',
      'after: "msg_x"',
      'jobId: "job_x"',
      'jobId: ""',
      'outcome: "DROP TABLE"',
      'outcome: ""',
      'outcome: "succeded"',
      'outcome: "status_999999"',
      'outcomes: ["odd"]',
      'states: []',
    ]) {
      expect(codeOf(await ask(`{ webhookDeliveries(${wrong}) { pageInfo { hasNextPage } } }`))).toBe('INVALID_REQUEST')
    }
  })

  test('what is sent can be read while it is kept, but for its signature, and not without job:read', async () => {
    const { owner, ask: askAsAdmin } = await admin(`${receiver.url}/slow`)
    const { apiKey } = await service.createKey(owner.account, ['account:admin', 'job:read'])
    const answers: (() => void)[] = []
    receiver.on('/slow', (response) => answers.push(() => response.writeHead(204).end()))
    const id = await owner.sendTest()
    const [received] = await receiver.waitFor('/slow')
    const query = `{ node(id: "${id}") { ... on WebhookDelivery { requestBody requestHeaders { name value } } } }`
    interface Sent {
      readonly requestBody: string
      readonly requestHeaders: readonly { readonly name: string; readonly value: string }[]
    }
    const { requestBody, requestHeaders } = (await ask(apiKey, query)).data!.node as Sent
    expect(requestBody).toBe(String(received!.body))
    for (const { name, value } of requestHeaders) {
      expect([name, value]).toEqual([name, name === 'webhook-signature' ? 'v1,…' : received!.headers[name]])
    }
    expect(requestHeaders).toHaveLength(5)
    expect(codeOf(await askAsAdmin(query))).toBe('FORBIDDEN')
    for (const answer of answers) answer()
    await owner.outcomeOf(id)
    // As tidying erases it, once the URLs in it have expired.
    await service.runtime.db.pool.query('update webhook_delivery set body = null where id = $1', [id])
    expect((await ask(apiKey, query)).data).toEqual({ node: { requestBody: null, requestHeaders: null } })
  })

  test('the previous secret is stopped at once, the newest and those of others are not', async () => {
    const [one, other] = [await admin(), await admin()]
    await one.owner.rotate()
    type Secrets = { secrets: { id: string; expiresAt: string | null }[] }
    const { secrets } = (await one.ask('{ webhook { secrets { id expiresAt } } }')).data!.webhook as Secrets
    const expire = (who: typeof one, id: string) =>
      who.ask(mutation(`expireWebhookSecret(id: "${id}")`, '... on Webhook { secrets { id } }'))
    const [newest, previous] = secrets
    expect(errorOf(await expire(other, previous!.id))?.code).toBe('NOT_FOUND')
    expect(errorOf(await expire(one, 'secret_x'))?.code).toBe('NOT_FOUND')
    expect(errorOf(await expire(one, newest!.id))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/id' }],
    })
    expect((await expire(one, previous!.id)).data).toEqual({
      expireWebhookSecret: { secrets: [{ id: newest!.id }] },
    })
  })

  test("all that failed is sent again at once, and nothing that succeeded or is another account's", async () => {
    const paths = ['/bulk', '/bulk-other'] as const
    for (const path of paths)
      receiver.on(path, (response, _request, nth) => response.writeHead(nth <= 4 ? 500 : 204).end())
    const [one, other] = [await admin(`${receiver.url}/bulk`), await admin(`${receiver.url}/bulk-other`)]
    const [failed, foreign] = [await one.owner.sendTest(), await other.owner.sendTest()]
    expect((await one.owner.outcomeOf(failed)).state).toBe('failed')
    expect((await other.owner.outcomeOf(foreign)).state).toBe('failed')
    const succeeded = await one.owner.sendTest()
    await one.owner.outcomeOf(succeeded)
    const again = (args = '') =>
      one.ask(mutation(`redeliverWebhooks${args}`, '... on RedeliverWebhooksSuccess { deliveries more }'))
    expect((await again('(filter: {outcomes: ["timeout"]})')).data).toEqual({
      redeliverWebhooks: { deliveries: 0, more: false },
    })
    expect((await again()).data).toEqual({ redeliverWebhooks: { deliveries: 1, more: false } })
    expect((await one.owner.outcomeOf(failed)).attempts.at(-1)).toMatchObject({ round: 2, outcome: 'succeeded' })
    expect((await one.owner.delivery(succeeded)).attempts.map(({ round }) => round)).toEqual([1])
    expect((await other.owner.delivery(foreign)).state).toBe('failed')
    expect(errorOf(await again('(filter: {states: []})'))?.code).toBe('INVALID_REQUEST')
  })

  test('a redelivery has the same id and body, a fresh timestamp and up to four attempts of its own', async () => {
    const path = '/again'
    const held: ServerResponse[] = []
    receiver.on(path, (response, _request, nth) => {
      if (nth <= 4) response.writeHead(500).end()
      else held.push(response)
    })
    const { ask, owner } = await admin(receiver.url + path)
    const id = await owner.sendTest()
    expect((await owner.outcomeOf(id)).state).toBe('failed')
    await service.runtime.db.pool.query('update webhook_delivery set timestamp = timestamp - 5000 where id = $1', [id])
    expect((await ask(redeliver(id))).data).toEqual({ redeliverWebhook: { id, state: 'PENDING' } })
    const requests = await receiver.waitFor(path, 5)
    held[0]!.writeHead(204).end()
    const [old, fresh] = [requests[3]!, requests[4]!]
    expect(fresh.headers['webhook-id']).toBe(id)
    const fields = ({ body }: Received) => ({ ...JSON.parse(body.toString()), outputs: null })
    expect(fields(fresh)).toEqual(fields(old))
    expect(Math.abs(Number(fresh.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    const delivery = await owner.outcomeOf(id)
    expect(delivery.attempts.map(({ round, number }) => [round, number])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
      [2, 1],
    ])
  })

  test('one under way cannot be sent again, nor can another account’s', async () => {
    const { ask, owner } = await admin(`${receiver.url}/slow`)
    const held = Promise.withResolvers<void>()
    receiver.on('/slow', (response) => void held.promise.then(() => response.writeHead(204).end()))
    const id = await owner.sendTest()
    await receiver.waitFor('/slow')
    expect(codeOf(await ask(redeliver(id)))).toBe('INVALID_REQUEST')
    held.resolve()
    await owner.outcomeOf(id)
    const other = await admin()
    expect(codeOf(await other.ask(redeliver(id)))).toBe('NOT_FOUND')
    const seen = await other.ask('{ webhookDeliveries { edges { node { id } } } }')
    expect(seen.data).toEqual({ webhookDeliveries: { edges: [] } })
    expect(codeOf(await ask(redeliver('nonsense')))).toBe('NOT_FOUND')
  })

  test('a test without a URL is refused', async () => {
    const { ask } = await admin()
    expect(codeOf(await ask(mutation('sendTestWebhook', '')))).toBe('INVALID_REQUEST')
  })
})
