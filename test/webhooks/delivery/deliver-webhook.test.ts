import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deleteApiKey } from '../../../src/api-keys/change-api-key.ts'
import { ServiceClient } from '../../../src/db/connections/service-client.ts'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { endJob } from '../../../src/jobs/lifecycle/end-jobs.ts'
import { newId } from '../../../src/values/id.ts'
import { redeliverWebhook } from '../../../src/webhooks/delivery/redeliver-webhook.ts'
import { tidyWebhooks } from '../../../src/webhooks/delivery/tidy-webhooks.ts'
import { ATTEMPT_TIMEOUT_MS } from '../../../src/webhooks/delivery/webhook-delivery.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type Receiver, signedBytes, signedHeaders, startReceiver } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, type Owner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  fixture = await openWebhookFixture({ worker: true, webhooks: true })
  ;({ receiver, service } = fixture)
})
afterAll(() => fixture?.close())

let paths = 0
/** As src/webhooks/delivery/deliver-webhook.ts limits the attempts at one receiver. */
const AT_ONCE = 16
const newPath = () => `/hook/${++paths}`
const sql = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)

async function speak(owner: Owner, webhookUrl?: string): Promise<string> {
  const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' }, webhook_url: webhookUrl }
  const reply = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: owner.key, body })
  expect(reply.status).toBe(202)
  return reply.json<{ job_id: string }>().job_id
}

describe('a webhook', () => {
  test('of a completed job is what polling returns, byte for byte, verified by two public libraries', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    const jobId = await speak(owner)
    const [request] = await receiver.waitFor(path)
    const polled = (await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key: owner.key })).json<{
      outputs: { audio: string }
    }>()
    const body = JSON.parse(request!.body.toString()) as { outputs: { audio: string } }
    expect(request!.body.toString()).toBe(JSON.stringify({ ...polled, outputs: body.outputs }))
    expect(new URL(body.outputs.audio).pathname).toBe(new URL(polled.outputs.audio).pathname)
    expect((await call(body.outputs.audio)).status).toBe(200)
    expect(request!.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(request!.headers['webhook-id']).toMatch(/^msg_[0-9a-z]{26}$/)
    expect(Math.abs(Number(request!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    expect(request!.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
    expect(new StandardWebhook(owner.secret).verify(request!.body.toString(), signedHeaders(request!))).toEqual(body)
    expect(() => new SvixWebhook(owner.secret).verify(request!.body.toString(), signedHeaders(request!))).not.toThrow()
  })

  test('is created in the transaction that ends its job, and signed in the read of it', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    const query = vi.spyOn(ServiceClient.prototype, 'query')
    await speak(owner)
    const [request] = await receiver.waitFor(path)
    const id = request!.headers['webhook-id']!
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', attempts: [{ number: 1 }] })
    const asked = query.mock.calls.map(([one]) => one as { name?: string; values?: unknown[] })
    query.mockRestore()
    const names = asked.filter(({ values }) => String(values).includes(id)).map(({ name }) => name)
    expect(names).toContain('create_deliveries')
    const signing = asked.filter(({ name }) => /^(signed_jobs|signing_secrets)$/.test(name ?? ''))
    expect(signing.map(({ name }) => name)).toEqual(['signed_jobs'])
  })

  test('goes to the URL of the submission rather than to the account’s, and nowhere where there is neither', async () => {
    const [mine, fallback] = [newPath(), newPath()]
    const owner = await createOwner(service, receiver.url + fallback)
    await speak(owner, receiver.url + mine)
    await receiver.waitFor(mine)
    expect(receiver.received(fallback)).toEqual([])
    await owner.setUrl(null)
    const silent = await speak(owner)
    await finishedJob(service.url, owner.key, silent)
    const { rows } = await sql('select from webhook_delivery where job_id = $1', [silent])
    expect(rows).toEqual([])
  })

  test('of a job that could not be paid carries CHARGE_FAILED, as polling does', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    await sql('update account set credits = 1 where id = $1', [owner.account])
    const jobId = await speak(owner)
    const [request] = await receiver.waitFor(path)
    const polled = await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key: owner.key })
    expect(request!.body.toString()).toBe(polled.text)
    expect(polled.json()).toMatchObject({ status: 'failed', error_code: 'CHARGE_FAILED' })
  })

  test('of a job that failed is what polling returns, and comes once', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    const jobId = newId('job')
    await sql(
      `insert into job (id, account_id, type, endpoint_key, status, attempt, inputs, created_at)
       values ($1, $2, 'voice', 'voice.tts', 'processing', 1, '{}', now())`,
      [jobId, owner.account],
    )
    const failure = new JobFailure('RENDER_FAILED', 'the cause stays here')
    const fail = () => endJob(service.runtime, { jobId, accountId: owner.account, attempt: 1, failure })
    expect(await Promise.all([fail(), fail(), fail()])).toEqual(expect.arrayContaining([true, false, false]))
    const [request] = await receiver.waitFor(path)
    const polled = await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key: owner.key })
    expect(polled.json()).toMatchObject({ status: 'failed', error_code: 'RENDER_FAILED' })
    expect(request!.body.toString()).toBe(polled.text)
    const { rows } = await sql('select from webhook_delivery where job_id = $1', [jobId])
    expect(rows).toHaveLength(1)
  })

  test('of a job that was cancelled carries JOB_CANCELLED, as polling does, and comes once', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    // A server that does not answer keeps the job unfinished.
    await applyEndpoint(service.runtime, 'waiting', { base_url: 'http://127.0.0.1:9', max_in_flight: 1 })
    const jobId = await submitText(service.url, owner.key, 'waiting', 'Never spoken.')
    await cancelJob(owner.ctx, { jobId })
    const [request] = await receiver.waitFor(path)
    const polled = (await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key: owner.key })).text
    expect(request!.body.toString()).toBe(polled)
    expect(JSON.parse(polled)).toMatchObject({ job_id: jobId, status: 'failed', error_code: 'JOB_CANCELLED' })
    await cancelJob(owner.ctx, { jobId })
    const { rows } = await sql('select count(*)::integer as n from webhook_delivery where job_id = $1', [jobId])
    expect(rows).toEqual([{ n: 1 }])
  })

  test('keeps its payload snapshot: rotation, another URL and a deleted key between two attempts change nothing', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    let held: (() => void) | undefined
    receiver.on(path, (response, _request, nth) => {
      if (nth === 1) held = () => response.writeHead(503).end()
      else response.writeHead(nth < 4 ? 500 : 204).end()
    })
    await speak(owner)
    await receiver.waitFor(path)
    await owner.rotate()
    await owner.setUrl(`${receiver.url}/elsewhere`)
    await deleteApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: owner.keyId })
    held!()
    const requests = await receiver.waitFor(path, 4)
    expect(new Set(requests.map(signedBytes)).size).toBe(1)
    expect(
      new StandardWebhook(owner.secret).verify(requests[3]!.body.toString(), signedHeaders(requests[3]!)),
    ).toBeTruthy()
    expect(receiver.received('/elsewhere')).toEqual([])
  })

  test('after a rotation carries two signatures, new first; after the overlap one', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    const fresh = await owner.rotate()
    await owner.sendTest()
    const [both] = await receiver.waitFor(path, 1)
    expect(both!.headers['webhook-signature']!.split(' ')).toHaveLength(2)
    for (const secret of [owner.secret, fresh]) {
      expect(new StandardWebhook(secret).verify(both!.body.toString(), signedHeaders(both!))).toBeTruthy()
    }
    const firstValue = both!.headers['webhook-signature']!.split(' ')[0]!
    const onlyFirst = { ...signedHeaders(both!), 'webhook-signature': firstValue }
    expect(new StandardWebhook(fresh).verify(both!.body.toString(), onlyFirst)).toBeTruthy()

    await sql(`update webhook_secret set expires_at = expires_at - interval '24 hours' where account_id = $1`, [
      owner.account,
    ])
    await owner.sendTest()
    const [, one] = await receiver.waitFor(path, 2)
    expect(one!.headers['webhook-signature']!.split(' ')).toHaveLength(1)
    expect(() => new StandardWebhook(owner.secret).verify(one!.body.toString(), signedHeaders(one!))).toThrow()
    await tidyWebhooks(service.runtime)
    const { rows } = await sql('select from webhook_secret where account_id = $1', [owner.account])
    expect(rows).toHaveLength(1)
  })

  test('that waited too long for its first attempt is signed again before any byte is sent', async () => {
    const path = newPath()
    const owner = await createOwner(service)
    const { rows } = await pendingSince(owner, receiver.url + path, 3600, 0)
    const [request] = await receiver.waitFor(path)
    expect(request!.headers['webhook-id']).toBe(rows[0].id)
    expect(Math.abs(Number(request!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    expect(new StandardWebhook(owner.secret).verify(request!.body.toString(), signedHeaders(request!))).toBeTruthy()
  })

  test('whose retry would come too late for a verifier is given up', async () => {
    const path = newPath()
    const owner = await createOwner(service)
    const { rows } = await pendingSince(owner, receiver.url + path, 290, 1)
    expect(await owner.outcomeOf(rows[0].id)).toMatchObject({ state: 'failed', outcome: 'expired' })
    expect(receiver.received(path)).toEqual([])
  })

  test('that cannot be signed is not sent, and its job ends all the same', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    await breakSecret(owner)
    const jobId = await speak(owner)
    expect((await finishedJob(service.url, owner.key, jobId)).status).toBe('completed')
    const { rows } = await sql('select id from webhook_delivery where job_id = $1', [jobId])
    expect(await owner.delivery(rows[0].id)).toMatchObject({ state: 'failed', outcome: 'secret_unreadable' })
    expect(receiver.received(path)).toEqual([])
  })

  test('that cannot be signed when the service was down for a while is given up, and as many as there are connections hold none', async () => {
    const owner = await createOwner(service)
    const ids: string[] = []
    for (let n = 0; n < 2 * AT_ONCE; n++) ids.push(await sentTest(owner))
    // Before any is pending: the worker finds what is not queued every minute, too.
    await breakSecret(owner)
    for (const id of ids) await makePending(id, receiver.url + newPath(), 3600, 0)
    await tidyWebhooks(service.runtime)
    const ended = () => sql(`select from webhook_delivery where id = any($1) and outcome = 'secret_unreadable'`, [ids])
    await until(async () => (await ended()).rowCount === ids.length, 60_000, 'the deliveries to be given up')
  })

  test('an account from before there were secrets gets one, and signs with it', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    await sql('delete from webhook_secret where account_id = $1', [owner.account])
    await Promise.all([owner.sendTest(), owner.sendTest(), owner.sendTest()])
    const requests = await receiver.waitFor(path, 3)
    expect(requests.every(({ headers }) => /^v1,\S+$/.test(headers['webhook-signature']!))).toBe(true)
    const { rows } = await sql('select from webhook_secret where account_id = $1', [owner.account])
    expect(rows).toHaveLength(1)
  })
})

describe('the record', () => {
  test('bodies are erased after the retry window, and deliveries after 30 days', async () => {
    const path = newPath()
    const owner = await createOwner(service, receiver.url + path)
    const id = await owner.sendTest()
    await owner.outcomeOf(id)
    const bodyOf = async () => (await sql('select body from webhook_delivery where id = $1', [id])).rows[0]?.body
    await tidyWebhooks(service.runtime)
    expect(await bodyOf()).toBeInstanceOf(Buffer)
    await sql(`update webhook_delivery set finished_at = now() - interval '16 minutes' where id = $1`, [id])
    await tidyWebhooks(service.runtime)
    expect(await bodyOf()).toBeNull()
    await sql(`update webhook_delivery set finished_at = now() - interval '29 days' where id = $1`, [id])
    await tidyWebhooks(service.runtime)
    expect(await bodyOf()).toBeNull()
    await sql(`update webhook_delivery set finished_at = now() - interval '31 days' where id = $1`, [id])
    await tidyWebhooks(service.runtime)
    expect(await bodyOf()).toBeUndefined()
    expect((await sql('select from webhook_attempt where delivery_id = $1', [id])).rows).toEqual([])
  })

  test('what was sent again is kept for 30 days from then', async () => {
    const owner = await createOwner(service, receiver.url + newPath())
    const id = await owner.sendTest()
    await owner.outcomeOf(id)
    await sql(`update webhook_delivery set created_at = now() - interval '31 days' where id = $1`, [id])
    await redeliverWebhook(owner.ctx, { id })
    await owner.outcomeOf(id)
    await tidyWebhooks(service.runtime)
    expect((await owner.delivery(id)).attempts).toHaveLength(2)
  })

  test('a delivery whose place in the queue is gone is queued again', async () => {
    const path = newPath()
    const owner = await createOwner(service)
    await pendingSince(owner, receiver.url + path, 120, 0, { queued: false })
    await tidyWebhooks(service.runtime)
    await receiver.waitFor(path)
  })
})

describe('one hanging receiver', () => {
  test('with 200 deliveries holds up no other receiver, of its account or another', async () => {
    const hanging = await startReceiver(fixture.certificates.good)
    hanging.on('/hang', () => undefined)
    const path = newPath()
    const victim = await createOwner(service, `${hanging.url}/hang`)
    const begun = performance.now()
    // In turns: all at once would wait for each other longer than a connection is waited for where others use the machine.
    for (let n = 0; n < 200; n += 20) await Promise.all(Array.from({ length: 20 }, () => victim.sendTest()))
    await hanging.waitFor('/hang', AT_ONCE)
    await victim.setUrl(receiver.url + path)
    const other = await createOwner(service, receiver.url + path)
    await Promise.all(Array.from({ length: 10 }, () => [victim.sendTest(), other.sendTest()]).flat())
    await receiver.waitFor(path, 20)
    // Its limit of connections was full all the while, for ten seconds by each attempt: most of them still wait.
    const made = hanging.received('/hang').length
    expect(made).toBeGreaterThanOrEqual(AT_ONCE)
    const turns = Math.ceil((performance.now() - begun) / ATTEMPT_TIMEOUT_MS)
    expect(made).toBeLessThanOrEqual(AT_ONCE * (turns + 1))
    await sql(
      `update webhook_delivery set state = 'failed', finished_at = now() where account_id = $1 and state = 'pending'`,
      [victim.account],
    )
    await hanging.close()
  })
})

/** As another SECRET_KEY finds it. */
const breakSecret = (owner: Owner) =>
  sql('update webhook_secret set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where account_id = $1', [
    owner.account,
  ])

/** A delivery that has succeeded. */
async function sentTest(owner: Owner): Promise<string> {
  await owner.setUrl(`${receiver.url}/made`)
  const id = await owner.sendTest()
  await owner.outcomeOf(id)
  return id
}

/** As it is found after some time: without a place in the queue. */
async function makePending(id: string, url: string, ageSeconds: number, attempt: number) {
  const made = await sql(
    `update webhook_delivery set url = $2, state = 'pending', finished_at = null, attempt = $4, outcome = null, round = 2,
       timestamp = timestamp - $3, next_attempt_at = now() - make_interval(secs => $3) where id = $1 returning id`,
    [id, url, ageSeconds, attempt],
  )
  await sql(`delete from pgboss.job where data->>'jobId' = $1`, [id])
  return made
}

/** A pending delivery as a service that was down for a while finds it. */
async function pendingSince(
  owner: Owner,
  url: string,
  ageSeconds: number,
  attempt: number,
  { queued }: { queued: boolean } = { queued: true },
) {
  const id = await sentTest(owner)
  const made = await makePending(id, url, ageSeconds, attempt)
  if (queued) await tidyWebhooks(service.runtime)
  expect(made.rowCount).toBe(1)
  return made
}
