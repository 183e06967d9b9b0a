import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, codeOf } from '../setup/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'
import { call, until } from '../setup/service.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const MAX_CPU_MS = 50
const MAX_GROWTH_BYTES = 64 * 2 ** 20

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  key = (await service.createCaller()).key
})
afterAll(() => service.close())

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body,
  })
const query = (text: string, variables?: object) => JSON.stringify({ query: text, variables })
const nested = (depth: number) => '{ a '.repeat(depth) + '}'.repeat(depth)
const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ')

const doubling = (count: number) =>
  `{ ...f0 } ${many(count, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} fragment f${count} on Query { __typename }`

/** Each is refused. */
const ABUSES: readonly [string, string, Record<string, string>?][] = [
  ['deep nesting', query(nested(200))],
  ['nesting of 40,000', query(nested(10_000))],
  ['10,000 aliases', query(`{ ${many(10_000, (i) => `a${i}:__typename`)} }`)],
  ['60 aliases', query(`{ catalog { ${many(60, (i) => `a${i}: catalogVersion`)} } }`)],
  ['100,000 tokens', query(`{ ${'a '.repeat(45_000)} }`)],
  ['21 root fields', query(`{ ${'__typename '.repeat(21)} }`)],
  ['circular fragments', query('{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }')],
  ['a fragment of itself that nobody uses', query('{ __typename } fragment a on Query { ...a }')],
  ['fragments that double', query(doubling(60))],
  ['overlapping fields', query(`{ ${many(140, () => 'jobs { totalCount }')} }`)],
  [
    'overlapping fields in a fragment',
    query(`{ ...f ...f } fragment f on Query { ${many(200, () => 'jobs { totalCount }')} }`),
  ],
  ['71 KB of crafted fields', query(`{ ${'x{y}'.repeat(17_750)} }`)],
  ['283 KB of crafted fields', query(`{ ${'x{y}'.repeat(70_750)} }`)],
  ['a flood of directives', query(`{ __typename ${'@include(if: true) '.repeat(120)} }`)],
  ['a flood of unknown directives', query(`{ __typename ${'@a'.repeat(450)} }`)],
  [
    'an introspection bomb',
    query('{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }'),
  ],
  [
    'pages in all their breadth',
    query(
      `{ ${many(6, (i) => `a${i}: jobs(first: 100) { edges { node { id type status artifacts { id output bytes url sha256 createdAt jobId } } } }`)} }`,
    ),
  ],
  [
    'a page as wide as its variable says',
    query(
      `query ($n: Int) { ${many(6, (i) => `a${i}: jobs(first: $n) { edges { node { id artifacts { id output bytes url sha256 createdAt jobId } } } }`)} }`,
      { n: 100 },
    ),
  ],
  [
    'huge variables',
    query('query ($f: JobsFilter) { jobs(filter: $f) { totalCount } }', { f: { idPrefix: 'x'.repeat(99_000) } }),
  ],
  [
    'variables of great depth',
    `{"query":"query ($f: JobsFilter) { jobs(filter: $f) { totalCount } }","variables":{"f":${'{"not":'.repeat(10_000)}null${'}'.repeat(10_000)}}}`,
  ],
  ['a body over the limit', query('{ __typename }', { x: 'x'.repeat(110_000) })],
  ['a batch', `[${query('{ __typename }')},${query('{ __typename }')}]`],
  ['text/plain', query('{ __typename }'), { 'content-type': 'text/plain' }],
  ['a form', 'query={__typename}', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a multipart form', 'x', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['no content type that is known', query('{ __typename }'), { 'content-type': 'application/graphql' }],
  ['utf-16', query('{ __typename }'), { 'content-type': 'application/json; charset=utf-16' }],
  ['utf-7', query('{ __typename }'), { 'content-type': 'application/json; charset=utf-7' }],
  ['no JSON', '{"query":'],
  ['nothing', ''],
]

describe('abuse', () => {
  test.each(ABUSES)('%s is refused within 50 ms of work', async (_title, body, headers) => {
    // The first time of anything compiles it.
    await post(body, headers)
    const before = process.threadCpuUsage()
    const response = await post(body, headers)
    const spent = process.threadCpuUsage(before)
    const answer = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] }
    expect(answer.data ?? null).toBeNull()
    expect(answer.errors?.[0]?.extensions.code).toMatch(/^(INVALID_REQUEST|PAYLOAD_TOO_LARGE|UNSUPPORTED_MEDIA_TYPE)$/)
    expect((spent.user + spent.system) / 1000).toBeLessThan(MAX_CPU_MS)
  })

  test('memory stays flat over 600 different ones', async () => {
    const flood = async (round: number) => {
      for (let index = 0; index < 300; index++) {
        await (await post(query(`{ r${round}x${index}: nothing ${'a '.repeat(900)} }`))).text()
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await flood(0)
    expect((await flood(1)) - before).toBeLessThan(MAX_GROWTH_BYTES)
  })

  test('what clients do send is let through', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    expect((await ask(service.url, key, getIntrospectionQuery())).errors).toBeUndefined()
    const wide = '{ jobs(first: 100) { totalCount edges { cursor node { id type status artifacts { id url } } } } }'
    expect((await ask(service.url, key, wide)).errors).toBeUndefined()
  })
})

describe('a stranger', () => {
  test('gets neither introspection nor hints, which a caller with a key gets', async () => {
    const close = '{ catalog { catalogVersio } }'
    const [stranger, caller] = [await ask(service.url, null, close), await ask(service.url, key, close)]
    expect([codeOf(stranger), codeOf(caller)]).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST'])
    expect(stranger.errors?.[0]?.message).not.toMatch(/mean|catalogVersion\b/)
    expect(caller.errors?.[0]?.message).toContain('Did you mean "catalogVersion"')
    for (const text of ['{ __schema { queryType { name } } }', '{ __type(name: "Job") { name } }']) {
      expect(codeOf(await ask(service.url, null, text))).toBe('INVALID_REQUEST')
      expect((await ask(service.url, key, text)).errors).toBeUndefined()
    }
  })

  test('changes nothing by GET', async () => {
    const url = `${service.url}/graphql?query=${encodeURIComponent('mutation { sendTestWebhook }')}`
    expect((await call(url, { key })).status).toBe(405)
  })
})

describe('a query that takes too long', () => {
  const waiting = async () => {
    const { rows } = await service.runtime.db.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and state = 'active' and wait_event_type = 'Lock' and query like '%from job%'`,
    )
    return rows[0]!.n
  }
  /** Nobody reads jobs until it is called off. */
  const lockJobs = async () => {
    const client = await service.runtime.db.pool.connect()
    await client.query('begin; lock table job in access exclusive mode')
    return async () => {
      await client.query('rollback')
      client.release()
    }
  }
  const JOBS = query('{ jobs { totalCount edges { node { id } } } }')

  test('is ended in the database as well once its caller is gone', async () => {
    const unlock = await lockJobs()
    try {
      const caller = new AbortController()
      const reading = fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JOBS,
        signal: caller.signal,
      }).catch(() => undefined)
      await until(async () => (await waiting()) > 0, 10_000, 'the statement to run')
      caller.abort()
      await until(async () => (await waiting()) === 0, 5_000, 'the statement to be cancelled')
      await reading
    } finally {
      await unlock()
    }
    expect((await ask(service.url, key, '{ jobs { totalCount } }')).errors).toBeUndefined()
  })

  test('is refused after ten seconds, and ended in the database as well', async () => {
    const unlock = await lockJobs()
    try {
      const answer = (await (await post(JOBS)).json()) as { data: null; errors: { extensions: { code: string } }[] }
      expect([answer.data, codeOf(answer as never)]).toEqual([null, 'INVALID_REQUEST'])
      await until(async () => (await waiting()) === 0, 5_000, 'the statement to be cancelled')
    } finally {
      await unlock()
    }
  })
})

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => `${service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as object), authorization: `Bearer ${key}` } }),
  })

  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${'reason' in result ? result.reason : ''}`).toBe('ok')
  })
})
