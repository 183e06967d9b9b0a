import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { notifyAccount } from '../../../src/accounts/notify-account.ts'
import { newId } from '../../../src/values/id.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { ask, codeOf, errorOf, mutation, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

const run = (sql: string, values: unknown[]) => service.runtime.db.pool.query(sql, values)
const DAY_MS = 86_400_000
const URLS = { one: 'https://one.example.com/', two: 'https://two.example.com/' }

interface Given {
  readonly outcome: string | null
  readonly url?: string
  /** Of the last attempt. */
  readonly status?: number
}

/** Deliveries by name; those without an outcome are pending. */
const GIVEN: Record<string, Given> = {
  taken: { outcome: 'succeeded', status: 204 },
  busy: { outcome: 'status_503', status: 503 },
  gone: { outcome: 'status_410', status: 410, url: URLS.two },
  late: { outcome: 'timeout', url: URLS.two },
  waiting: { outcome: null },
}

async function world() {
  const account = await service.createAccount()
  const { apiKey } = await service.createKey(account, ['account:admin'])
  const names = new Map<string, string>()
  for (const [name, { outcome, url = URLS.one, status }] of Object.entries(GIVEN)) {
    const id = newId('msg')
    names.set(id, name)
    const state = outcome === null ? 'pending' : outcome === 'succeeded' ? 'succeeded' : 'failed'
    await run(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, outcome, attempt, next_attempt_at, created_at, finished_at)
       values ($1, $2, 'test', $3, $4, 0, '', '', $5::webhook_delivery_state, $6, 2, now() + interval '1 hour', now(), case when $6::text is not null then now() end)`,
      [id, account, newId('job'), url, state, outcome],
    )
    // An earlier attempt was answered otherwise.
    for (const [number, answered] of [
      [1, 500],
      [2, status ?? null],
    ])
      await run(
        'insert into webhook_attempt (delivery_id, round, number, outcome, response_status) values ($1, 1, $2, $3, $4)',
        [id, number, number === 1 ? 'status_500' : outcome, answered],
      )
  }
  return { account, apiKey, names }
}

describe('a filter of deliveries', () => {
  test.each<[object, string[]]>([
    [{ outcomeCodes: ['STATUS'] }, ['busy', 'gone']],
    [{ outcomeCodes: ['SUCCEEDED', 'TIMEOUT'] }, ['taken', 'late']],
    [{ responseStatuses: [204, 410] }, ['taken', 'gone']],
    // While an attempt runs, the one before it is the last that ended.
    [{ responseStatuses: [500] }, ['waiting']],
    [{ responseStatuses: [503], states: ['PENDING'] }, []],
    [{ urls: [URLS.two] }, ['gone', 'late']],
    [{ urls: [URLS.one], states: ['PENDING'] }, ['waiting']],
    [{ outcomes: ['timeout', 'status_503'] }, ['busy', 'late']],
  ])('%j is one for lists, counts and subscriptions', async (filter, expected) => {
    const { account, apiKey, names } = await world()
    const { webhookDeliveries: found } = await read<{
      webhookDeliveries: { totalCount: number; edges: { node: { id: string } }[] }
    }>(
      service.url,
      apiKey,
      'query ($filter: WebhookDeliveriesFilter) { webhookDeliveries(filter: $filter) { totalCount edges { node { id } } } }',
      { filter },
    )
    const listed = found.edges.map(({ node }) => names.get(node.id))
    expect([listed.toReversed(), found.totalCount]).toEqual([expected, expected.length])
    const { webhookStats } = await read<{ webhookStats: Record<string, number> }>(
      service.url,
      apiKey,
      'query ($filter: WebhookDeliveriesFilter) { webhookStats(filter: $filter) { pending succeeded failed } }',
      { filter },
    )
    expect(Object.values(webhookStats).reduce((sum, count) => sum + count, 0)).toBe(expected.length)
    const client = openSocketClient(service.url, apiKey)
    const heard = client.subscribe<{ deliveryChanges: { deliveries: { id: string }[] } }>(
      'subscription ($filter: WebhookDeliveriesFilter) { deliveryChanges(filter: $filter, everyMs: 100) { deliveries { id } removedIds } }',
      { filter },
    )
    const ends = client.subscribe<{ deliveryChanges: { deliveries: { id: string }[] } }>(
      'subscription { deliveryChanges(everyMs: 100) { deliveries { id } removedIds } }',
    )
    await ends.waitFor(() => true)
    for (const id of names.keys()) notifyAccount(service.runtime, account, id)
    const idsOf = ({ data }: typeof heard) =>
      data.flatMap(({ deliveryChanges }) => deliveryChanges.deliveries.map(({ id }) => names.get(id)))
    await expect.poll(() => new Set(idsOf(ends)).size, { timeout: 20_000 }).toBe(names.size)
    await expect.poll(() => new Set(idsOf(heard)), { timeout: 20_000 }).toEqual(new Set(expected))
    await client.dispose()
  })

  const LISTED: readonly (readonly [object, string])[] = [
    [{ states: ['FAILED'] }, 'busy'],
    [{ outcomes: ['timeout'] }, 'late'],
    [{ outcomeCodes: ['TIMEOUT'] }, 'late'],
    [{ responseStatuses: [410] }, 'gone'],
    [{ urls: [URLS.two] }, 'gone'],
    [{ outcomeCodes: ['SECRET_UNREADABLE'] }, 'unsigned'],
  ]

  test.each(LISTED)('%j removes a listed delivery that is sent again: %s', async (filter, name) => {
    const { account, apiKey, names } = await world()
    const [id = ''] = [...names].find(([, one]) => one === (name === 'unsigned' ? 'late' : name)) ?? []
    if (name === 'unsigned') {
      await run(`update webhook_delivery set outcome = 'secret_unreadable', attempt = 0 where id = $1`, [id])
      await run('delete from webhook_attempt where delivery_id = $1', [id])
    }
    await run(`update account set webhook_url = 'https://three.example.com/' where id = $1`, [account])
    const client = openSocketClient(service.url, apiKey)
    const follow = (given: object) =>
      client.subscribe<{ deliveryChanges: { deliveries: { id: string }[]; removedIds: string[] } }>(
        'subscription ($filter: WebhookDeliveriesFilter) { deliveryChanges(filter: $filter, everyMs: 100) { deliveries { id } removedIds } }',
        { filter: given },
      )
    const heard = follow(filter)
    const all = follow({})
    await all.waitFor(() => true)
    await read(service.url, apiKey, `mutation { redeliverWebhook(id: "${id}") { __typename } }`)
    await heard.waitFor(({ deliveryChanges: { removedIds } }) => removedIds.includes(id))
    expect(heard.data.flatMap(({ deliveryChanges: { deliveries } }) => deliveries.map((one) => one.id))).not.toContain(
      id,
    )
    await client.dispose()
  })

  test('begins a subscription with the pending deliveries that match, behind many others', async () => {
    const { account, apiKey } = await world()
    const put = (first: number, count: number, url: string) =>
      run(
        `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at)
         select $1 || lpad(n::text, 6, '0'), $2, 'test', 'job_none', $5, 0, '', '', 'pending', now() + interval '1 hour', now()
         from generate_series($3::int, $4::int) n`,
        [newId('msg').slice(0, -6), account, first, first + count - 1, url],
      )
    const own = 'https://own.example.com/'
    await put(1, 120, own)
    await put(1000, 130, URLS.one)
    const client = openSocketClient(service.url, apiKey)
    const heard = client.subscribe<{ deliveryChanges: { deliveries: { url: string }[] } }>(
      'subscription ($urls: [URL!]) { deliveryChanges(filter: {urls: $urls}, everyMs: 100) { deliveries { url } removedIds } }',
      { urls: [own] },
    )
    const urlsOf = () => heard.data.flatMap(({ deliveryChanges }) => deliveryChanges.deliveries.map(({ url }) => url))
    await expect.poll(() => urlsOf().length, { timeout: 20_000 }).toBe(120)
    expect(new Set(urlsOf())).toEqual(new Set([own]))
    await client.dispose()
  })

  test('begins a subscription behind more than 10,000 others if the job or the time tells them apart', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['account:admin'])
    const put = (count: number, at: Date, jobId: string, prefix = idAt(at).replace('job_', 'msg_').slice(0, -6)) =>
      run(
        `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at)
         select $1 || lpad(n::text, 6, '0'), $2, 'test', $3, $4, 0, '', '', 'pending', now() + interval '1 hour', $5
         from generate_series(1, $6::int) n returning id`,
        [prefix, account, jobId, URLS.one, at, count],
      )
    const now = service.runtime.now()
    const jobId = newId('job')
    const { rows } = await put(1, new Date(now.getTime() - DAY_MS), jobId)
    await put(10_001, now, 'job_none')
    const client = openSocketClient(service.url, apiKey)
    const createdAt = { to: new Date(now.getTime() - DAY_MS / 2).toISOString() }
    for (const filter of [{ jobId }, { createdAt }]) {
      const heard = client.subscribe<{ deliveryChanges: { deliveries: { id: string }[] } }>(
        'subscription ($filter: WebhookDeliveriesFilter) { deliveryChanges(filter: $filter, everyMs: 100) { deliveries { id } removedIds } }',
        { filter },
      )
      await heard.waitFor(({ deliveryChanges: { deliveries } }) => deliveries.some(({ id }) => id === rows[0].id))
    }
    await client.dispose()
  })

  test('says the outcome as a value to branch on', async () => {
    const { apiKey } = await world()
    const { webhookDeliveries } = await read<{ webhookDeliveries: { edges: { node: object }[] } }>(
      service.url,
      apiKey,
      '{ webhookDeliveries(filter: {states: [FAILED]}) { edges { node { outcome outcomeCode attempts { outcomeCode } } } } }',
    )
    const before = { outcomeCode: 'STATUS' }
    expect(webhookDeliveries.edges.map(({ node }) => node).toReversed()).toEqual([
      { outcome: 'status_503', outcomeCode: 'STATUS', attempts: [before, before] },
      { outcome: 'status_410', outcomeCode: 'STATUS', attempts: [before, before] },
      { outcome: 'timeout', outcomeCode: 'TIMEOUT', attempts: [before, { outcomeCode: 'TIMEOUT' }] },
    ])
  })

  test.each([
    ['filter: {states: [FAILED]}, states: [FAILED]', '/states'],
    ['filter: {responseStatuses: [99]}', '/filter/responseStatuses'],
    ['filter: {outcomeCodes: []}', '/filter/outcomeCodes'],
    ['filter: {urls: []}', '/filter/urls'],
    ['jobId: "x"', '/jobId'],
  ])('refuses %s', async (args, path) => {
    const { apiKey } = await world()
    const { errors } = await ask(service.url, apiKey, `{ webhookDeliveries(${args}) { totalCount } }`)
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details: [{ path }] } }])
  })

  test('is refused by each field that takes it with the same path, after the caller', async () => {
    const account = await service.createAccount()
    const [admin, reader] = await Promise.all([
      service.createKey(account, ['account:admin']),
      service.createKey(account, ['job:read']),
    ])
    const filter = '(filter: {jobId: "x"})'
    for (const fields of [
      `deliveries: webhookDeliveries${filter} { totalCount }`,
      `webhookStats${filter} { failed }`,
    ]) {
      const own = fields.replace('deliveries: webhookDeliveries', 'deliveries')
      for (const query of [`{ ${fields} }`, `{ viewer { ${own} } }`]) {
        const { errors } = await ask(service.url, admin.apiKey, query)
        const details = [{ path: '/filter/jobId' }]
        expect(errors, query).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details } }])
      }
      expect(codeOf(await ask(service.url, reader.apiKey, `{ ${fields} }`))).toBe('FORBIDDEN')
      const { data, errors } = await ask<{ viewer: object }>(service.url, reader.apiKey, `{ viewer { ${own} } }`)
      expect([Object.values(data?.viewer ?? {}), errors]).toEqual([[null], undefined])
    }
  })
})

test('what is pending is found behind more than a thousand newer deliveries, by lists and subscriptions', async () => {
  const { account, apiKey, names } = await world()
  await run(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, outcome, next_attempt_at, created_at, finished_at)
     select $1 || lpad(n::text, 4, '0'), $2, 'test', 'job_x', $3, 0, '', '', 'failed', 'timeout', now(), now(), now() from generate_series(1, 1100) n`,
    [newId('msg').slice(0, -4), account, URLS.one],
  )
  const [waiting] = [...names].find(([, name]) => name === 'waiting')!
  const filter = { states: ['PENDING'], urls: [URLS.one] }
  const { webhookDeliveries } = await read<{ webhookDeliveries: { nodes: { id: string }[] } }>(
    service.url,
    apiKey,
    'query ($filter: WebhookDeliveriesFilter) { webhookDeliveries(filter: $filter) { nodes { id } } }',
    { filter },
  )
  expect(webhookDeliveries.nodes).toEqual([{ id: waiting }])
  const client = openSocketClient(service.url, apiKey)
  const changes = client.subscribe<{ deliveryChanges: { deliveries: { id: string }[] } }>(
    'subscription ($filter: WebhookDeliveriesFilter) { deliveryChanges(filter: $filter) { deliveries { id } } }',
    { filter },
  )
  const single = client.subscribe<{ deliveriesUpdated: { id: string } }>(
    'subscription ($filter: WebhookDeliveriesFilter) { deliveriesUpdated(filter: $filter) { id } }',
    { filter },
  )
  await changes.waitFor(({ deliveryChanges: { deliveries } }) => deliveries.some(({ id }) => id === waiting))
  await single.waitFor(({ deliveriesUpdated: { id } }) => id === waiting)
  await client.dispose()
})

describe('a job', () => {
  const FIELDS: readonly (readonly [string, string])[] = [
    ['job(ARGS) { id }', 'query'],
    ['voiceJob(ARGS) { id }', 'query'],
    ['cancelJob(ARGS) { ... on VoiceJob { id } }', 'mutation'],
    ['retryJob(ARGS) { ... on RetryJobSuccess { job { id } } }', 'mutation'],
    ['deleteJob(ARGS) { ... on DeleteJobSuccess { id } }', 'mutation'],
  ]

  test.each(FIELDS)('is named by `id`, or as before: %s', async (field, kind) => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['account:admin', 'job:read', 'generate:voice'])
    const put = () => insertJob(service.runtime.db, account, { status: 'failed' })
    for (const name of ['id', 'jobId']) {
      const id = await put()
      await run(`update job set inputs = '{"text": "Hi.", "voice": "aria"}' where id = $1`, [id])
      const { data, errors } = await ask<Record<string, { id?: string; job?: { id: string } }>>(
        service.url,
        apiKey,
        `${kind} { ${field.replace('ARGS', `${name}: "${id}"`)} }`,
      )
      expect(errors).toBeUndefined()
      const [answer] = Object.values(data!)
      if (answer!.job === undefined) expect(answer!.id).toBe(id)
      else expect(answer!.job.id).toMatch(/^job_/)
    }
    const id = await put()
    for (const args of [`id: "${id}", jobId: "${id}"`, 'id: null', 'jobId: null']) {
      const text = field.replace('ARGS', args)
      const document = kind === 'query' ? `{ ${text} }` : mutation(text.slice(0, text.indexOf('{')).trim(), '')
      const answer = await ask(service.url, apiKey, document)
      expect(codeOf(answer)).toBe('INVALID_REQUEST')
      if (kind === 'mutation') expect(errorOf(answer)?.details).toMatchObject([{ path: '/id' }])
    }
  })
})
