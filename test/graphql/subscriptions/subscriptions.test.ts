import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { deleteApiKey, updateApiKey } from '../../../src/api-keys/change-api-key.ts'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type Heard, openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

type Event = { id: string; status: string }
const JOBS = 'subscription ($filter: JobFilter) { jobsUpdated(filter: $filter) { id status result { outputs } } }'
const JOB = 'subscription ($id: ID!) { jobUpdated(id: $id) { id status errorCode } }'

/** A caller is looked up every 400 ms, and is not noticed to be gone by anything else: far from both, for a machine that is busy. */
const SOON_MS = 10_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
})
afterAll(() => service?.close())

const openers = [
  ['graphql-ws', openSocketClient],
  ['server-sent events', openEventClient],
] as const

async function changeJob(account: string, fields: JobFields): Promise<string> {
  const jobId = await insertJob(service.runtime.db, account, fields)
  notifyJob(service.runtime, { accountId: account, jobId })
  return jobId
}

async function complete(account: string, jobId: string): Promise<void> {
  await service.runtime.db.pool.query(`update job set status = 'completed', completed_at = now() where id = $1`, [
    jobId,
  ])
  notifyJob(service.runtime, { accountId: account, jobId })
}

interface Message {
  readonly type: string
  readonly payload?: { readonly data?: { readonly jobsUpdated: Event } }
}

/** A socket that sends what the test wants, in one piece. */
async function openRawSocket(key: string) {
  const raw = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  await once(raw, 'open')
  raw.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }))
  await once(raw, 'message')
  const heard: Message[] = []
  raw.on('message', (data) => heard.push(JSON.parse(String(data))))
  const { _socket: stream } = raw as unknown as { _socket: Socket }
  const sent = (...messages: object[]) => {
    stream.cork()
    for (const message of messages) raw.send(JSON.stringify(message))
    stream.uncork()
  }
  return { raw, heard, sent }
}

describe.each(openers)('subscriptions over %s', (_name, open) => {
  test('a submitted job is followed from its acceptance to its audio', async () => {
    const { key } = await service.createCaller()
    const client = open(service.url, key)
    const heard = client.subscribe<{ jobsUpdated: Event & { result: { outputs: { audio: string } } | null } }>(JOBS)
    await ready(heard, key)
    const jobId = await submitText(service.url, key, 'tts', 'Hello!', 'aria')
    const { jobsUpdated } = await heard.waitFor(({ jobsUpdated: at }) => at.id === jobId && at.status === 'COMPLETED')
    expect((await call(jobsUpdated.result!.outputs.audio)).status).toBe(200)
    const order = heard.data.filter(({ jobsUpdated: at }) => at.id === jobId).map(({ jobsUpdated: at }) => at.status)
    // The feed sends the current state: one may come twice, and none comes after a later one.
    const distinct = [...new Set(order)]
    expect(distinct).toEqual(['QUEUED', 'PROCESSING', 'COMPLETED'].filter((status) => order.includes(status)))
    expect(order).toEqual(order.toSorted((a, b) => distinct.indexOf(a) - distinct.indexOf(b)))
    await client.dispose()
  })

  test('two accounts that subscribe at once see only their own jobs', async () => {
    const [one, two] = await Promise.all([service.createCaller(), service.createCaller()])
    const clients = [open(service.url, one.key), open(service.url, two.key)]
    const heard = clients.map((client) => client.subscribe<{ jobsUpdated: Event }>(JOBS))
    await Promise.all([ready(heard[0]!, one.key), ready(heard[1]!, two.key)])
    const first = await Promise.all([1, 2, 3].map(() => changeJob(one.account, { status: 'processing' })))
    const second = await Promise.all([1, 2, 3].map(() => changeJob(two.account, { status: 'processing' })))
    for (const id of first) await heard[0]!.waitFor(({ jobsUpdated }) => jobsUpdated.id === id)
    for (const id of second) await heard[1]!.waitFor(({ jobsUpdated }) => jobsUpdated.id === id)
    const ids = heard.map(({ data }) => new Set(data.map(({ jobsUpdated }) => jobsUpdated.id)))
    expect(second.some((id) => ids[0]!.has(id)) || first.some((id) => ids[1]!.has(id))).toBe(false)
    await Promise.all(clients.map((client) => client.dispose()))
  })

  test('a subscriber that comes late gets the present state first', async () => {
    const { key, account } = await service.createCaller()
    const [queued, running] = [
      await insertJob(service.runtime.db, account, { status: 'queued', type: 'companion_chat' }),
      await insertJob(service.runtime.db, account, { status: 'processing' }),
    ]
    await insertJob(service.runtime.db, account, { status: 'completed' })
    const client = open(service.url, key)
    const all = client.subscribe<{ jobsUpdated: Event }>(JOBS)
    for (const id of [queued, running]) await all.waitFor(({ jobsUpdated }) => jobsUpdated.id === id)
    expect(all.data.map(({ jobsUpdated }) => jobsUpdated.id).toSorted()).toEqual([queued, running].toSorted())
    await client.dispose()
  })

  test('jobUpdated brings the state, every newer one, and ends with the last', async () => {
    const { key, account } = await service.createCaller()
    const jobId = await insertJob(service.runtime.db, account, { status: 'processing' })
    const client = open(service.url, key)
    const heard = client.subscribe<{ jobUpdated: Event }>(JOB, { id: jobId })
    await heard.waitFor(({ jobUpdated }) => jobUpdated.status === 'PROCESSING')
    await changeJob(account, { status: 'processing' })
    await complete(account, jobId)
    await heard.ended()
    expect(heard.data.map(({ jobUpdated }) => [jobUpdated.id, jobUpdated.status])).toEqual([
      [jobId, 'PROCESSING'],
      [jobId, 'COMPLETED'],
    ])
    const late = client.subscribe<{ jobUpdated: Event }>(JOB, { id: jobId })
    await late.ended()
    expect(late.data.map(({ jobUpdated }) => jobUpdated.status)).toEqual(['COMPLETED'])
    await client.dispose()
  })

  test("another account's job is not there", async () => {
    const [{ key }, other] = await Promise.all([service.createCaller(), service.createCaller()])
    const jobId = await insertJob(service.runtime.db, other.account, { status: 'processing' })
    const client = open(service.url, key)
    const heard = client.subscribe(JOB, { id: jobId })
    await heard.ended()
    expect([heard.data, heard.errors]).toEqual([
      [],
      [expect.objectContaining({ extensions: { code: 'NOT_FOUND', requestId: expect.any(String) } })],
    ])
    await client.dispose()
  })

  test('a filter leaves out what does not match', async () => {
    const { key, account } = await service.createCaller()
    const client = open(service.url, key)
    const filter = { type: 'GENERATE', status: ['PROCESSING', 'FAILED'] }
    const heard = client.subscribe<{ jobsUpdated: Event }>(JOBS, { filter })
    const marker = await changeJob(account, { type: 'generate', status: 'processing' })
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === marker)
    await changeJob(account, { type: 'generate', status: 'completed' })
    await changeJob(account, { type: 'voice', status: 'failed' })
    const wanted = await changeJob(account, { type: 'generate', status: 'failed' })
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === wanted)
    expect(heard.data.map(({ jobsUpdated }) => jobsUpdated.id)).toEqual([marker, wanted])
    const wrong = client.subscribe(JOBS, { filter: { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' } })
    await wrong.ended()
    expect(wrong.errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }) }),
    ])
    await client.dispose()
  })

  test('a key without job:read subscribes to nothing', async () => {
    const { account } = await service.createCaller()
    const { apiKey } = await service.createKey(account, ['generate:voice'])
    const client = open(service.url, apiKey)
    const heard = client.subscribe(JOBS)
    await heard.ended()
    expect(heard.errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'FORBIDDEN' }) }),
    ])
    await client.dispose()
  })

  test("a deleted key's subscriptions end within a second, with nothing more told", async () => {
    const { key, keyId, account } = await service.createCaller()
    const client = open(service.url, key)
    const heard = client.subscribe<{ jobsUpdated: Event }>(JOBS)
    await ready(heard, key)
    await deleteApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: keyId })
    const start = performance.now()
    await heard.ended()
    expect(performance.now() - start).toBeLessThan(SOON_MS)
    const count = heard.data.length
    await changeJob(account, { status: 'processing' })
    expect(heard.data).toHaveLength(count)
    await client.dispose()
  })

  test('a key that loses one of its scopes has to subscribe again', async () => {
    const { account } = await service.createCaller()
    const { apiKey, apiKeyId } = await service.createKey(account, ['job:read', 'account:admin'])
    const client = open(service.url, apiKey)
    const heard = client.subscribe<{ jobsUpdated: Event }>(
      'subscription { jobsUpdated { id status deliveries { id } } }',
    )
    const first = await changeJob(account, { status: 'processing' })
    await heard.waitFor(({ jobsUpdated: at }) => at.id === first)
    await updateApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId, scopes: ['job:read'] })
    const start = performance.now()
    await heard.ended()
    expect(performance.now() - start).toBeLessThan(SOON_MS)
    // As the same query would be refused now.
    expect(heard.errors).toEqual([
      expect.objectContaining({
        message: 'Use an API key that holds the scope account:admin.',
        extensions: { code: 'FORBIDDEN', requestId: expect.any(String) },
      }),
    ])
    const count = heard.data.length
    await changeJob(account, { status: 'processing' })
    expect(heard.data).toHaveLength(count)
    await client.dispose()
  })

  test('the limits of a document hold', async () => {
    const { key } = await service.createCaller()
    const client = open(service.url, key)
    const aliases = Array.from({ length: 60 }, (_, at) => `a${at}: id`).join(' ')
    const heard = client.subscribe(`subscription { jobsUpdated { ${aliases} } }`)
    await heard.ended()
    expect(JSON.stringify(heard.errors)).toContain('aliases')
    await client.dispose()
  })

  /** Waits until a subscription hears of what happens from now on: it gets a job made for that. */
  async function ready(heard: Pick<Heard<{ jobsUpdated: Event }>, 'waitFor'>, key: string): Promise<void> {
    const { rows } = await service.runtime.db.pool.query<{ account_id: string }>(
      `select account_id from api_key where hash = sha256($1::text::bytea)`,
      [key],
    )
    const jobId = await changeJob(rows[0]!.account_id, { status: 'processing' })
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
  }
})

describe('the socket', () => {
  test.each([
    ['no key', null],
    ['a key that never was', 'snt_000000000000000000000000000000000000000000'],
  ])('%s closes it with 4403', async (_name, key) => {
    const client = openSocketClient(service.url, key)
    client.subscribe('{ __typename }')
    expect(await client.closed()).toBe(4403)
  })

  test("a deleted key's socket closes with 4403 within a second", async () => {
    const { key, keyId, account } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const first = await insertJob(service.runtime.db, account, { status: 'processing' })
    const heard = client.subscribe<{ jobsUpdated: Event }>(JOBS)
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === first)
    await deleteApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: keyId })
    const start = performance.now()
    expect(await client.closed()).toBe(4403)
    expect(performance.now() - start).toBeLessThan(SOON_MS)
    await heard.ended()
  })

  test('queries and mutations are answered over it, with errors as over HTTP', async () => {
    const { key } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const query = client.subscribe<{ catalog: { endpoints: { slug: string }[] } }>('{ catalog { endpoints { slug } } }')
    await query.ended()
    expect(query.data[0]!.catalog.endpoints).toContainEqual({ slug: 'tts' })
    const submit =
      'mutation { submitVoiceJob(slug: "tts", inputs: {text: "Hi there.", voice: "aria"}) { ... on VoiceJobSubmission { jobId } } }'
    const mutation = client.subscribe<{ submitVoiceJob: { jobId: string } }>(submit)
    await mutation.ended()
    expect((await finishedJob(service.url, key, mutation.data[0]!.submitVoiceJob.jobId)).status).toBe('completed')
    const unknown = client.subscribe('{ nothing }')
    await unknown.ended()
    const reply = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query: '{ nothing }' } })
    const { message, extensions } = reply.json<{ errors: { message: string; extensions: { code: string } }[] }>()
      .errors[0]!
    expect(unknown.errors).toMatchObject([{ message, extensions: { code: extensions.code } }])
    expect(Object.keys((unknown.errors[0] as { extensions: object }).extensions)).toEqual(['code', 'requestId'])
    await client.dispose()
  })

  test('an id is used again as soon as its operation was completed: nothing of the first is sent, and no place is lost', async () => {
    const { key, account } = await service.createCaller()
    const { sent, heard, raw } = await openRawSocket(key)
    const subscribe = { id: 'one', type: 'subscribe', payload: { query: JOBS } }
    const completed = { id: 'one', type: 'complete' }
    // In one piece: before the first is known, and when it is followed.
    sent(subscribe, completed, subscribe, completed, subscribe)
    const jobId = await changeJob(account, { status: 'processing' })
    await until(() => heard.length > 0, 60_000, 'the job to be told')
    sent(completed, subscribe)
    await until(() => heard.length > 1, 60_000, 'the job to be told again')
    await complete(account, jobId)
    await until(() => heard.length > 2, 60_000, 'its end to be told')
    expect(heard.map(({ type, payload }) => [type, payload?.data?.jobsUpdated.status])).toEqual([
      ['next', 'PROCESSING'],
      ['next', 'PROCESSING'],
      ['next', 'COMPLETED'],
    ])
    sent(completed)
    raw.close()
  })

  test('a frame over the size of a request closes it, and the service goes on', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await new Promise((resolve) => socket.once('open', resolve))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.send('x'.repeat(200_000))
    expect(await closed).toBe(1009)
    expect((await call(`${service.url}/health/live`)).status).toBe(200)
  })

  test('what is no message closes it with 4400', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await new Promise((resolve) => socket.once('open', resolve))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.send('{"type":"nonsense"}')
    expect(await closed).toBe(4400)
  })
})

describe('messages that were lost', () => {
  test('are made up for when the connection to the database is back', async () => {
    const { key, account } = await service.createCaller()
    const jobId = await insertJob(service.runtime.db, account, { status: 'processing' })
    const client = openSocketClient(service.url, key)
    const one = client.subscribe<{ jobUpdated: Event }>(JOB, { id: jobId })
    const all = client.subscribe<{ jobsUpdated: Event }>(JOBS)
    await one.waitFor(({ jobUpdated }) => jobUpdated.status === 'PROCESSING')
    await all.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    // No process is notified of this change.
    await service.runtime.db.pool.query(`update job set status = 'completed', completed_at = now() where id = $1`, [
      jobId,
    ])
    await service.runtime.db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sonant notifier' and datname = current_database()`,
    )
    await one.ended()
    expect(one.data.at(-1)!.jobUpdated.status).toBe('COMPLETED')
    await all.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId && jobsUpdated.status === 'COMPLETED')
    await client.dispose()
  })

  test('however many jobs have ended meanwhile', async () => {
    const { account, key } = await service.createCaller()
    const { pool } = service.runtime.db
    const client = openSocketClient(service.url, key)
    const all = client.subscribe<{ jobsUpdated: Event }>(JOBS)
    const first = await insertJob(service.runtime.db, account, { status: 'processing' })
    notifyJob(service.runtime, { accountId: account, jobId: first })
    await all.waitFor(({ jobsUpdated }) => jobsUpdated.id === first)
    const ended = await Promise.all(
      Array.from({ length: 350 }, () => insertJob(service.runtime.db, account, { status: 'failed' })),
    )
    await pool.query('update job set completed_at = now() where account_id = $1 and id = any($2)', [account, ended])
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sonant notifier' and datname = current_database()`,
    )
    const heard = () => new Set(all.data.map(({ jobsUpdated }) => jobsUpdated.id))
    await expect.poll(() => ended.filter((id) => !heard().has(id)).length).toBe(0)
    await client.dispose()
  })
})

describe('a service that stops', () => {
  test('ends what is followed, and waits for nobody', async () => {
    const stopping = await startTestRuntime()
    const { key, account } = await stopping.createCaller()
    const jobId = await insertJob(stopping.runtime.db, account, { status: 'processing' })
    const [socket, events] = [openSocketClient(stopping.url, key), openEventClient(stopping.url, key)]
    const heard = [socket, events].map((client) => client.subscribe<{ jobsUpdated: Event }>(JOBS))
    for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    // It would never end otherwise: the test's deadline holds it.
    await stopping.close()
    for (const one of heard) await one.ended()
    expect(heard[1]!.errors).toEqual([])
    await events.dispose()
  })
})
