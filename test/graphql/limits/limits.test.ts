import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import {
  type Abuse,
  bodyOf,
  DOCUMENT_ABUSES,
  expectRefusal,
  HARMLESS,
  leastCpu,
  type Refusal,
} from '../../setup/load/abuses.ts'
import { type AskingThread, startAskingThread } from '../../setup/load/asking-thread.ts'
import { lockJobs } from '../../setup/postgres/locked-table.ts'
import { ask, codeOf } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
/** Any request may take this long of the serving thread. */
const MAX_MS = 20
/** As many documents as caches keep, and a few; then some more. */
const FILLING = 270
const FLOOD = 60
/** Less than a second flood leaves where 50 KB of each document are kept. */
const MAX_GROWTH_BYTES = FLOOD * 50_000
/** The first flood loads code and fills bounded caches. */
const MAX_CACHED_BYTES = 128 * 2 ** 20

let service: TestRuntime
let client: AskingThread
let key: string
beforeAll(async () => {
  client = startAskingThread()
  service = await startTestRuntime()
  key = (await service.createCaller()).key
})
afterAll(() => Promise.all([client?.close(), service?.close()]))

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body,
  })
/** The service's processor time for one request: its client is in another thread. */
const costOf = async (body: string) => {
  const asking = await client.take({ url: `${service.url}/graphql`, options: { method: 'POST', key, body } })
  return leastCpu(async () => JSON.parse((await asking()).text) as Refusal, MAX_MS)
}
/** Abuses that only HTTP has: the service refuses each. */
const HTTP_ABUSES: readonly Abuse[] = [
  ['a body over the limit', bodyOf('{ __typename }', { x: 'x'.repeat(1_100_000) })],
  ['283 KB of crafted fields', bodyOf(`{ ${'x{y}'.repeat(70_750)} }`)],
  ['a batch', `[${bodyOf('{ __typename }')},${bodyOf('{ __typename }')}]`],
  ['no JSON', '{"query":'],
  ['nothing', ''],
]

/** Ten violations, each of a value of 14 KB. */
const quoted = (mark: string) => {
  const fields = Array.from({ length: 12 }, (_, index) => `f${index}: 1`).join(' ')
  const text = `"""${`${'a'.repeat(250)}\n`.repeat(56)}"""`
  return `{ jobPage(filter: { ${fields} ${mark}: ${'['.repeat(15)}${text}${']'.repeat(15)} }) { total } }`
}
/** A good request under another name. */
const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/graphql',
  'application/json; charset=utf-16',
  'application/json; charset=utf-7',
  'application/json; charset=iso-8859-1',
  'application/json; charset=klingon',
]

describe('abuse', () => {
  test.each([...DOCUMENT_ABUSES, ...HTTP_ABUSES])('%s is refused within 20 ms of work', async (_title, body) => {
    const { result, cpuMs } = await costOf(body)
    expectRefusal(result)
    expect(cpuMs).toBeLessThan(MAX_MS)
  })

  test.each(CONTENT_TYPES)('a body as %s is refused', async (type) => {
    const response = await post(bodyOf('{ __typename }'), { 'content-type': type })
    expect(response.status).toBe(415)
    expectRefusal((await response.json()) as Refusal)
  })

  test('a body that is compressed is refused in the words of REST, whether or not it is', async () => {
    for (const encoding of ['gzip', 'br', 'deflate, gzip']) {
      const response = await post(bodyOf('{ __typename }'), { 'content-encoding': encoding })
      expect([encoding, response.status]).toEqual([encoding, 415])
      const [error] = ((await response.json()) as Refusal).errors ?? []
      expect(error?.message).toBe('Send the body as application/json in UTF-8, without content-encoding.')
    }
    expect((await post(bodyOf('{ __typename }'), { 'content-encoding': 'Identity' })).status).toBe(200)
  })

  test.each(HARMLESS)('%s costs less than 20 ms of work', async (_title, body) => {
    const { result, cpuMs } = await costOf(body)
    expect(result.errors).toBeUndefined()
    expect(cpuMs).toBeLessThan(MAX_MS)
  })

  test('an answer to wrong variables is not larger than what was sent', async () => {
    const filter = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`status${index}`, 1]))
    const body = bodyOf('query ($f: JobsFilter) { jobs(filter: $f) { totalCount } }', { f: filter })
    const answer = await (await post(body)).text()
    expect(answer.length).toBeLessThan(body.length)
    const { extensions } = (JSON.parse(answer) as Required<Refusal>).errors[0]!
    expect(extensions).toMatchObject({ code: 'INVALID_REQUEST' })
    expect(extensions.details?.[0]).toMatchObject({ path: '/variables/f' })
  })

  test.each([
    ['fields', (mark: string) => `{ ${mark}: nothing ${'a '.repeat(900)} }`],
    ['nothing but comments', (mark: string) => `{ ${mark}: __typename }${'#\n'.repeat(30_000)}`],
    ['values that violations quote', (mark: string) => quoted(mark)],
    ['violations', (mark: string) => `{ ${mark}: ${' '.repeat(90_000)}`],
  ])('memory stays flat over many different documents of %s', { timeout: 120_000 }, async (_title, documentOf) => {
    const flood = async (round: number, documents: number) => {
      for (let index = 0; index < documents; index++)
        await (await post(bodyOf(documentOf(`r${round}x${index}`)))).text()
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    collectGarbage()
    const start = process.memoryUsage().heapUsed
    const before = await flood(0, FILLING)
    expect(before - start).toBeLessThan(MAX_CACHED_BYTES)
    expect((await flood(1, FLOOD)) - before).toBeLessThan(MAX_GROWTH_BYTES)
  })

  test('what clients do send is let through', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    expect((await ask(service.url, key, getIntrospectionQuery())).errors).toBeUndefined()
    const wide = '{ jobs(first: 100) { totalCount edges { cursor node { id type status artifacts { id url } } } } }'
    expect((await ask(service.url, key, wide)).errors).toBeUndefined()
  })
})

describe('an anonymous caller', () => {
  test('gets neither introspection nor hints, which a caller with a key gets', async () => {
    const close = '{ catalog { catalogVersio } }'
    const [anonymous, caller] = [await ask(service.url, null, close), await ask(service.url, key, close)]
    expect([codeOf(anonymous), codeOf(caller)]).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST'])
    expect(anonymous.errors?.[0]?.message).not.toMatch(/mean|catalogVersion\b/)
    expect(caller.errors?.[0]?.message).toContain('Did you mean "catalogVersion"')
    for (const text of ['{ __schema { queryType { name } } }', '{ __type(name: "Job") { name } }']) {
      expect(codeOf(await ask(service.url, null, text))).toBe('INVALID_REQUEST')
      expect((await ask(service.url, key, text)).errors).toBeUndefined()
    }
  })

  test('gets no introspection that a caller with a key got before, nor hints about variables', async () => {
    const known = '{ __schema { mutationType { name } } }'
    expect((await ask(service.url, key, known)).errors).toBeUndefined()
    expect(codeOf(await ask(service.url, null, known))).toBe('INVALID_REQUEST')
    const filtered = 'query ($f: JobsFilter) { jobs(filter: $f) { totalCount } }'
    const asked = [null, key].map((caller) => ask(service.url, caller, filtered, { f: { statuse: [] } }))
    const [anonymous, caller] = (await Promise.all(asked)).map((answer) => JSON.stringify(answer))
    expect(anonymous).toContain('statuse')
    expect([/mean|statuses/.test(anonymous!), /mean .*statuses/.test(caller!)]).toEqual([false, true])
  })

  test('changes nothing by GET', async () => {
    const url = `${service.url}/graphql?query=${encodeURIComponent('mutation { sendTestWebhook }')}`
    expect((await call(url, { key })).status).toBe(405)
  })
})

describe('a query that takes too long', () => {
  const JOBS = bodyOf('{ jobs { totalCount edges { node { id } } } }')

  test('is ended in the database as well once its caller is gone', async () => {
    const jobs = await lockJobs(service.runtime)
    try {
      const caller = new AbortController()
      const reading = fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JOBS,
        signal: caller.signal,
      }).catch(() => undefined)
      await jobs.waitedFor()
      caller.abort()
      await jobs.givenUp()
      await reading
    } finally {
      await jobs.unlock()
    }
    expect((await ask(service.url, key, '{ jobs { totalCount } }')).errors).toBeUndefined()
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
