import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { creditAccount } from '../../src/accounts/credit-account.ts'
import { updateApiKey } from '../../src/api-keys/change-api-key.ts'
import { notifyJob } from '../../src/jobs/live/notify-job.ts'
import { newId } from '../../src/values/id.ts'
import { AUDIO, insertJob, type JobFields } from '../setup/jobs/jobs.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { ask, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'
import { PASSWORD, type Users, usersOf } from '../setup/service/users.ts'

let service: TestRuntime
let users: Users
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
})
afterAll(() => service?.close())

const run = (sql: string, values: unknown[] = []) => service.runtime.db.pool.query(sql, values)

/** An account with an owner, a key, and a job of that key with all that belongs to it. */
async function world(jobs = 1) {
  const owner = await users.user('owner')
  const { account } = owner
  const admin = await service.createKey(account, [
    'account:admin',
    'job:read',
    'generate:voice',
    'generate:workflow',
    'voice:library',
  ])
  const put = (fields: JobFields) => insertJob(service.runtime.db, account, fields)
  const made: { job: string; delivery: string }[] = []
  for (let n = 0; n < jobs; n++) {
    const job = await put({ apiKeyId: admin.apiKeyId })
    const delivery = await deliveryOf(account, job, 'job')
    await run(`insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -5, $2)`, [
      account,
      job,
    ])
    await run(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms) values ($1, $2, 'audio', $3, 'audio/wav', 8, $4, 10)`,
      [newId('art'), job, `${job}/1/audio.wav`, AUDIO.sha256],
    )
    made.push({ job, delivery })
  }
  return { owner, account, admin, key: admin.apiKey, put, made, ...made[0]! }
}

async function deliveryOf(account: string, job: string, kind: 'job' | 'test'): Promise<string> {
  const id = newId('msg')
  await run(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
     values ($1, $2, $3, $4, 'https://hooks.example.com/', 0, '', '', 'failed', now(), now(), now())`,
    [id, account, kind, job],
  )
  return id
}

describe('an edge leads to the object that its id names', () => {
  test('of deliveries, entries, outputs, keys and jobs', async () => {
    const { key, account, admin, job, delivery } = await world()
    const data = await read<Record<string, unknown>>(
      service.url,
      key,
      `{ webhookDeliveries { edges { node { id job { id deliveries { id job { id } } } } } }
         creditEntries(kinds: [CHARGE]) { edges { node { job { id } account { id } } } }
         jobs { edges { node { id apiKey { id account { id apiKeys { id } } } submittedBy { apiKey { id } user { id } }
           endpoint { __typename ... on VoiceEndpoint { slug } } artifacts { job { id } } } } }
         auditEntries(actions: [KEY_CREATED]) { edges { node { account { id } by { kind user { id } } } } }
         account { id webhook { account { id } secrets { webhook { url } } deliveries { id } } voices { id } lexicon { entries { alias } } users { id account { id } } } }`,
    )
    const nodes = (name: string) => (data[name] as { edges: { node: unknown }[] }).edges.map(({ node }) => node)
    expect(nodes('webhookDeliveries')).toEqual([
      { id: delivery, job: { id: job, deliveries: [{ id: delivery, job: { id: job } }] } },
    ])
    expect(nodes('creditEntries')).toEqual([{ job: { id: job }, account: { id: account } }])
    expect(nodes('jobs')).toEqual([
      {
        id: job,
        apiKey: { id: admin.apiKeyId, account: { id: account, apiKeys: [{ id: admin.apiKeyId }] } },
        submittedBy: { apiKey: { id: admin.apiKeyId }, user: null },
        endpoint: { __typename: 'VoiceEndpoint', slug: 'tts' },
        artifacts: [{ job: { id: job } }],
      },
    ])
    expect(nodes('auditEntries')).toEqual([{ account: { id: account }, by: { kind: 'OPERATOR', user: null } }])
    expect(data.account).toMatchObject({
      id: account,
      webhook: { account: { id: account }, secrets: [{ webhook: { url: null } }], deliveries: [{ id: delivery }] },
      ...{ voices: [], lexicon: null, users: [{ account: { id: account } }] },
    })
  })

  test('of users and their sessions, keys and accounts', async () => {
    const { owner, put } = await world()
    const { data: made } = await users.ask(
      'mutation { createApiKey(name: "of a user") { ... on NewApiKey { apiKeyId key { id name createdBy { id } } } } }',
      {},
      owner.cookie,
    )
    const { apiKeyId } = made!.createApiKey as { apiKeyId: string }
    expect(made!.createApiKey).toEqual({
      apiKeyId,
      key: { id: apiKeyId, name: 'of a user', createdBy: { id: owner.id } },
    })
    const job = await put({ userId: owner.id })
    const { data, errors } = await users.ask(
      `query ($job: ID!) { me { account { id } user { apiKeys { id } account { users { id } } } sessions { user { id } } }
         node(id: $job) { ... on Job { submittedBy { user { id email } apiKey { id } } } } }`,
      { job },
      owner.cookie,
    )
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      me: {
        account: { id: owner.account },
        user: { apiKeys: [{ id: apiKeyId }], account: { users: [{ id: owner.id }] } },
        sessions: [{ user: { id: owner.id } }],
      },
      node: { submittedBy: { user: { id: owner.id, email: owner.email }, apiKey: null } },
    })
  })

  test('of groups of jobs, in numbers and in series', async () => {
    const { owner, key, account, admin, put } = await world()
    await put({ userId: owner.id })
    const EDGES = 'apiKeyId apiKeyName apiKey { id } userId user { id }'
    const name = `key-${newId('key')}`
    await updateApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: admin.apiKeyId, name })
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const of = async (by: string) => {
      const seen: object[][] = []
      for (const group of ['API_KEY', 'USER']) {
        const stats = `{ jobStats(groupBy: [${group}]) { ${EDGES} } }`
        seen.push((await read<{ jobStats: object[] }>(service.url, by, stats)).jobStats)
      }
      for (const group of ['API_KEY', 'USER']) {
        const series = `{ jobSeries(from: "${from}", step: DAY, groupBy: [${group}]) { groups { ${EDGES} } } }`
        seen.push((await read<{ jobSeries: { groups: object[] } }>(service.url, by, series)).jobSeries.groups)
      }
      return seen
    }
    const nobody = { apiKeyId: null, apiKeyName: null, apiKey: null, userId: null, user: null }
    const [byKey, byUser] = [{ apiKeyId: admin.apiKeyId, apiKeyName: name }, { userId: owner.id }]
    const seen = await of(key)
    for (const n of [0, 2]) {
      expect(seen[n]).toHaveLength(2)
      expect(seen[n]).toEqual(expect.arrayContaining([nobody, { ...nobody, ...byKey, apiKey: { id: admin.apiKeyId } }]))
      expect(seen[n + 1]).toHaveLength(2)
      expect(seen[n + 1]).toEqual(expect.arrayContaining([nobody, { ...nobody, ...byUser, user: { id: owner.id } }]))
    }
    const { apiKey: reader } = await service.createKey(account, ['job:read'])
    const unseen = await of(reader)
    for (const n of [0, 2]) {
      expect(unseen[n]).toEqual(expect.arrayContaining([nobody, { ...nobody, ...byKey }]))
      expect(unseen[n + 1]).toEqual(expect.arrayContaining([nobody, { ...nobody, ...byUser }]))
    }
  })

  test('of what mutations answer', async () => {
    const { owner, key, account, delivery } = await world()
    const signedIn = await users.ask(
      'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { ... on User { account { id name } } } }',
      { email: owner.email, password: PASSWORD },
    )
    expect(signedIn.data).toEqual({ signIn: { account: { id: account, name: expect.any(String) } } })
    const unknown = newId('msg')
    const sent = await read(
      service.url,
      key,
      `mutation ($ids: [ID!]) { redeliverWebhooks(ids: $ids) { ... on RedeliverWebhooksSuccess { sent { id state } results { deliveryId delivery { id state } error { code } } } } }`,
      { ids: [delivery, unknown] },
    )
    const again = { id: delivery, state: 'PENDING' }
    expect(sent).toEqual({
      redeliverWebhooks: {
        sent: [again],
        results: [
          { deliveryId: delivery, delivery: again, error: null },
          { deliveryId: unknown, delivery: null, error: { code: 'NOT_FOUND' } },
        ],
      },
    })
    const operator = await service.createKey(account, ['operator'])
    const credited = await read(
      service.url,
      operator.apiKey,
      `mutation ($account: ID!) { creditAccount(account: $account, amount: 1) { ... on Account { credits users { id } } } }`,
      { account },
    )
    expect(credited).toEqual({ creditAccount: { credits: 1_000_001, users: [{ id: owner.id }] } })
  })

  test('of the state of an account, with its new balance', async () => {
    const { account, key } = await service.createCaller(5n)
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<{ accountUpdated: { credits: number; account: { id: string; credits: number } } }>(
      'subscription { accountUpdated { credits account { id credits } } }',
    )
    await heard.waitFor(({ accountUpdated }) => accountUpdated.credits === 5)
    await creditAccount(service.runtime.as({ kind: 'system' }), { account, amount: 2n })
    await heard.waitFor(({ accountUpdated }) => accountUpdated.credits === 7)
    expect(heard.data.at(-1)!.accountUpdated).toEqual({ credits: 7, account: { id: account, credits: 7 } })
    await client.dispose()
  })
})

test('a replayed submission says the true status of its job, and null where it was deleted', async () => {
  const { key, account } = await service.createCaller()
  const submit = () =>
    read<{ submitVoiceJob: { jobId: string } }>(
      service.url,
      key,
      `mutation { submitVoiceJob(slug: "tts", inputs: {text: "Hi.", voice: "aria"}, idempotencyKey: "a") { ... on VoiceJobSubmission { jobId replayed status job { status } } } }`,
    )
  const { submitVoiceJob: first } = await submit()
  expect(first).toMatchObject({ replayed: false, status: 'QUEUED', job: { status: 'QUEUED' } })
  await run(`update job set status = 'failed', error_code = 'JOB_CANCELLED', completed_at = now() where id = $1`, [
    first.jobId,
  ])
  expect((await submit()).submitVoiceJob).toMatchObject({ replayed: true, status: 'FAILED', job: { status: 'FAILED' } })
  await run('delete from job where id = $1 and account_id = $2', [first.jobId, account])
  expect((await submit()).submitVoiceJob).toMatchObject({ replayed: true, job: null })
})

describe('an edge that the caller may not see is null, and the rest of the answer stays', () => {
  test('deliveries of tests, of deleted jobs, and for a key without job:read have no job', async () => {
    const { account, key, delivery } = await world()
    const gone = newId('job')
    const others = [await deliveryOf(account, gone, 'job'), await deliveryOf(account, gone, 'test')]
    const { apiKey } = await service.createKey(account, ['account:admin'])
    const LIST = '{ webhookDeliveries { edges { node { id job { id } } } } }'
    const shown = async (caller: string) => {
      const { data, errors } = await ask<{
        webhookDeliveries: { edges: { node: { id: string; job: object | null } }[] }
      }>(service.url, caller, LIST)
      expect(errors).toBeUndefined()
      return data!.webhookDeliveries.edges.flatMap(({ node }) => (node.job === null ? [] : [node.id]))
    }
    expect(await shown(key)).toEqual([delivery])
    expect(await shown(apiKey)).toEqual([])
    expect(others).toHaveLength(2)
  })

  test('a key that may not list keys sees itself alone, and no users', async () => {
    const { account, admin, put, owner } = await world()
    const reader = await service.createKey(account, ['job:read'])
    await put({ apiKeyId: reader.apiKeyId })
    await put({ userId: owner.id })
    const { data, errors } = await ask<{ jobs: { edges: { node: { apiKey: { id: string } | null } }[] } }>(
      service.url,
      reader.apiKey,
      '{ account { apiKeys { id } users { id } webhook { url } voices { id } } jobs { edges { node { apiKeyId apiKey { id } submittedBy { kind user { id } apiKey { id } } } } } }',
    )
    expect(errors).toBeUndefined()
    const own = { id: reader.apiKeyId }
    expect(data).toEqual({
      account: { apiKeys: [own], users: null, webhook: null, voices: null },
      jobs: {
        edges: [
          { node: { apiKeyId: null, apiKey: null, submittedBy: { kind: 'USER', user: null, apiKey: null } } },
          { node: { apiKeyId: reader.apiKeyId, apiKey: own, submittedBy: { kind: 'KEY', user: null, apiKey: own } } },
          { node: { apiKeyId: admin.apiKeyId, apiKey: null, submittedBy: { kind: 'KEY', user: null, apiKey: null } } },
        ],
      },
    })
  })

  test('a restricted endpoint looks exactly like a missing one', async () => {
    const { account, put } = await world()
    await applyEndpoint(service.runtime, 'vip', {}, { required_scope: 'voice:vip' })
    const jobs = [await put({ endpointKey: 'voice.vip' }), await put({ endpointKey: 'voice.none' })]
    const seen = async (scopes: string[]) => {
      const { apiKey } = await service.createKey(account, scopes)
      const answers = jobs.map(
        async (id) =>
          (await ask(service.url, apiKey, `{ job(jobId: "${id}") { endpoint { ... on VoiceEndpoint { slug } } } }`))
            .data,
      )
      return Promise.all(answers)
    }
    const none = { job: { endpoint: null } }
    expect(await seen(['job:read', 'generate:voice'])).toEqual([none, none])
    expect(await seen(['job:read', 'generate:voice', 'voice:vip'])).toEqual([
      { job: { endpoint: { slug: 'vip' } } },
      none,
    ])
  })

  test('nothing of another account is at the end of an edge', async () => {
    const [one, other] = [await world(), await world()]
    await run('update webhook_delivery set job_id = $2 where id = $1', [one.delivery, other.job])
    await run('update job set api_key_id = $2 where id = $1', [one.job, other.admin.apiKeyId])
    const data = await read(
      service.url,
      one.key,
      '{ webhookDeliveries { edges { node { job { id } } } } jobs { edges { node { apiKey { id } } } } }',
    )
    expect(data).toEqual({
      webhookDeliveries: { edges: [{ node: { job: null } }] },
      jobs: { edges: [{ node: { apiKey: null } }] },
    })
  })

  test('subscribers with the same scopes are sent their own keys alone', async () => {
    const { account, put } = await world()
    const keys = [await service.createKey(account, ['job:read']), await service.createKey(account, ['job:read'])]
    const clients = keys.map(({ apiKey }) => openSocketClient(service.url, apiKey))
    type Event = { jobUpdated: { apiKey: { id: string } | null; status: string } }
    const id = await put({ status: 'processing', apiKeyId: keys[0]!.apiKeyId })
    const heard = clients.map((client) =>
      client.subscribe<Event>('subscription ($id: ID!) { jobUpdated(id: $id) { status apiKey { id } } }', { id }),
    )
    for (const one of heard) await one.waitFor(() => true)
    await run(`update job set status = 'completed', completed_at = greatest(now(), created_at) where id = $1`, [id])
    notifyJob(service.runtime, { accountId: account, jobId: id })
    for (const one of heard) await one.ended()
    expect(heard.map(({ data }) => data.at(-1)!.jobUpdated)).toEqual([
      { status: 'COMPLETED', apiKey: { id: keys[0]!.apiKeyId } },
      { status: 'COMPLETED', apiKey: null },
    ])
    for (const client of clients) await client.dispose()
  })
})

test('a page of fifty with all its edges takes the statements of a page of five', async () => {
  const { key, admin } = await world(50)
  await updateApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: admin.apiKeyId, name: 'renamed' })
  const JOB =
    'id apiKey { id name createdBy { id } account { id } } endpoint { ... on VoiceEndpoint { slug } } submittedBy { apiKey { id account { name } } user { id } } artifacts { id job { id } }'
  const PAGES = [
    `webhookDeliveries(first: $first) { edges { node { id job { ${JOB} deliveries { id job { id } } } } } }`,
    `creditEntries(first: $first) { edges { node { job { ${JOB} } account { name } } } }`,
    `jobs(first: $first) { edges { node { ${JOB} } } }`,
    'auditEntries(first: $first) { edges { node { account { name } by { user { id } apiKey { id } } } } }',
  ]
  const statementsOf = async (page: string, first: number): Promise<number> => {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    try {
      await read(service.url, key, `query ($first: Int) { ${page} }`, { first })
      return query.mock.calls.length
    } finally {
      query.mockRestore()
    }
  }
  /** Edges to one kind of object are loaded in two parts if one of them is asked for later, so the least of some tries counts. */
  const least = async (page: string, first: number): Promise<number> => {
    const counts: number[] = []
    for (let tries = 0; tries < 4; tries++) counts.push(await statementsOf(page, first))
    return Math.min(...counts)
  }
  for (const page of PAGES) {
    await statementsOf(page, 50)
    expect(await least(page, 50), page).toBe(await least(page, 5))
  }
})
