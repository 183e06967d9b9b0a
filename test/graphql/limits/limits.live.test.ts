import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { bodyOf, DOCUMENT_ABUSES, expectRefusal, HARMLESS, leastCpu, type Refusal } from '../../setup/load/abuses.ts'
import { type AskingThread, type Question, startAskingThread } from '../../setup/load/asking-thread.ts'
import { openRawSocket } from '../../setup/load/raw-socket.ts'
import { lockJobs } from '../../setup/postgres/locked-table.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'

/** Any request may take this long of the serving thread. */
const MAX_MS = 20
const JOBS = '{ jobs { totalCount edges { node { id } } } }'

let service: TestRuntime
let client: AskingThread
let key: string
beforeAll(async () => {
  client = startAskingThread()
  service = await startTestRuntime()
  key = (await service.createCaller()).key
})
afterAll(() => Promise.all([client?.close(), service?.close()]))

/** The transports of a body with their first answers. */
const OVER: readonly (readonly [string, (body: string) => Question, (text: string) => Refusal])[] = [
  ['a socket', (operation) => ({ serviceUrl: service.url, key, operation }), (text) => JSON.parse(text) as Refusal],
  [
    'server-sent events',
    (body) => ({
      url: `${service.url}/graphql`,
      options: { method: 'POST', key, body, headers: { accept: 'text/event-stream' } },
    }),
    (text) => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as Refusal,
  ],
]

describe.each(OVER)('over %s', (_name, questionOf, answerOf) => {
  /** The service's processor time for one request: its client is in another thread. */
  const costOf = async (body: string) => {
    const asking = await client.take(questionOf(body))
    return leastCpu(async () => answerOf((await asking()).text), MAX_MS)
  }

  test.each(DOCUMENT_ABUSES)('%s is refused within 20 ms of work', async (_title, body) => {
    const { result, cpuMs } = await costOf(body)
    expectRefusal(result)
    expect(cpuMs).toBeLessThan(MAX_MS)
  })

  test.each(HARMLESS)('%s costs less than 20 ms of work', async (_title, body) => {
    const { result, cpuMs } = await costOf(body)
    expect(result.errors).toBeUndefined()
    expect(cpuMs).toBeLessThan(MAX_MS)
  })
})

describe.each([
  ['graphql-ws', openSocketClient],
  ['graphql-sse', openEventClient],
] as const)("%s's own client", (_name, open) => {
  test.each([
    'subscription { jobsUpdated @skip(if: true) { id } }',
    'subscription ($on: Boolean = false) { ... @include(if: $on) { jobsUpdated { id } } }',
    'subscription { ...Followed } fragment Followed on Subscription { jobsUpdated @include(if: false) { id } }',
  ])('is refused a subscription that might follow nothing, and goes on: %s', async (query) => {
    const client = open(service.url, key)
    const [other, refused] = [client.subscribe('{ __typename }'), client.subscribe(query)]
    await refused.ended()
    await other.ended()
    expect([JSON.stringify(refused.errors), other.data]).toEqual([
      expect.stringContaining('INVALID_REQUEST'),
      [{ __typename: 'Query' }],
    ])
    await client.dispose()
  })

  test('ends its query in the database as well when it completes it', async () => {
    const client = open(service.url, key)
    const jobs = await lockJobs(service.runtime)
    try {
      const query = client.subscribe(JOBS)
      await jobs.waitedFor()
      query.end()
      await jobs.givenUp()
    } finally {
      await jobs.unlock()
    }
    const again = client.subscribe<{ jobs: { totalCount: number } }>(JOBS)
    await again.ended()
    expect([again.errors, again.data]).toEqual([[], [{ jobs: { totalCount: 0, edges: [] } }]])
    await client.dispose()
  })

  test('ends its query in the database as well when it goes away', async () => {
    const client = open(service.url, key)
    const jobs = await lockJobs(service.runtime)
    try {
      client.subscribe(JOBS)
      await jobs.waitedFor()
      await client.dispose()
      await jobs.givenUp()
    } finally {
      await jobs.unlock()
    }
  })

  test('may introspect, and gets hints', async () => {
    const client = open(service.url, key)
    const introspection = client.subscribe('{ __schema { queryType { name } } }')
    await introspection.ended()
    expect(introspection.data).toEqual([{ __schema: { queryType: { name: 'Query' } } }])
    const mistaken = client.subscribe('{ catalog { catalogVersio } }')
    await mistaken.ended()
    expect(JSON.stringify(mistaken.errors)).toContain('mean')
    await client.dispose()
  })
})

test('a rejection over a socket says as much as over HTTP', async () => {
  const socket = await openRawSocket(service.url, key)
  const body = '{"query":"query ($id: ID!) { node(id: $id) { id } }","variables":{"id":"\\u0000"}}'
  const posted = await call(`${service.url}/graphql`, { method: 'POST', key, body })
  const [expected] = posted.json<Required<Refusal>>().errors
  const { errors } = await socket.ask(body)
  const requestId = expect.any(String)
  expect(errors).toEqual([{ ...expected, extensions: { ...expected!.extensions, requestId } }])
  socket.close()
})

test.each([
  ['more values than the body of a request may hold', JSON.stringify(Array(20_100).fill(0))],
  ['lists within lists', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
])('an operation of %s is refused over a socket, which goes on', async (_title, excess) => {
  const socket = await openRawSocket(service.url, key)
  const { errors } = await socket.ask(`{"query":"{ __typename }","extensions":{"a":${excess}}}`)
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', requestId: expect.any(String) } }])
  expect(await socket.ask(bodyOf('{ __typename }'))).toEqual({ data: { __typename: 'Query' } })
  socket.close()
})

test('a query that is completed before it has begun never reaches the database', async () => {
  const socket = await openRawSocket(service.url, key)
  const jobs = await lockJobs(service.runtime)
  try {
    socket.send({ id: 'short', type: 'subscribe', payload: { query: JOBS } })
    socket.send({ id: 'short', type: 'complete' })
    // The service answers later questions; the earlier ones would be in the database by now.
    for (let round = 0; round < 5; round++) await socket.ask(bodyOf('{ node(id: "voice.tts") { id } }'))
    expect(await jobs.countWaiting()).toBe(0)
  } finally {
    await jobs.unlock()
    socket.close()
  }
})

test('more queries than there are connections all end in the database as well when they are completed', async () => {
  const socket = await openRawSocket(service.url, key)
  const jobs = await lockJobs(service.runtime)
  try {
    const ids = Array.from({ length: 40 }, (_nothing, n) => `many ${n}`)
    for (const id of ids) socket.send({ id, type: 'subscribe', payload: { query: JOBS } })
    await jobs.waitedFor(service.runtime.db.workShares.perKey)
    for (const id of ids) socket.send({ id, type: 'complete' })
    await jobs.givenUp()
  } finally {
    await jobs.unlock()
    socket.close()
  }
})

describe('an anonymous caller that asks for server-sent events', () => {
  test.each(['{ __schema { queryType { name } } }', '{ catalog { catalogVersio } }'])(
    'gets neither introspection nor hints: %s',
    async (query) => {
      const client = openEventClient(service.url, null)
      const refused = client.subscribe(query)
      await refused.ended()
      expect(refused.data).toEqual([])
      expect(JSON.stringify(refused.errors)).toContain('INVALID_REQUEST')
      expect(JSON.stringify(refused.errors)).not.toMatch(/mean/)
      await client.dispose()
    },
  )
})

test('GET is for queries alone: neither a mutation nor a subscription is taken', async () => {
  const get = (query: string) =>
    call(`${service.url}/graphql?query=${encodeURIComponent(query)}`, { key, headers: { accept: 'text/event-stream' } })
  expect((await get('{ catalog { catalogVersion } }')).status).toBe(200)
  for (const query of ['mutation { sendTestWebhook { __typename } }', 'subscription { jobsUpdated { id } }']) {
    const { status, headers } = await get(query)
    expect([status, headers.allow]).toEqual([405, 'POST'])
  }
})
