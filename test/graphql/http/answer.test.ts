import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../../src/server/app.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

/** An hour away from this machine's clock. */
const DATABASE_TIME = new Date(Date.now() - 3_600_000)

let service: TestRuntime
let app: FastifyInstance
beforeAll(async () => {
  service = await startTestRuntime()
  app = await buildApp({ ...service.runtime, now: () => DATABASE_TIME })
})
afterAll(async () => {
  await app?.close()
  await service?.close()
})

const ASKING = { 'x-sonant-time': '1' }

/** The field, totalCount, then ten times nodes and id. */
const COUNTED_PAGE = 1 + 100 + 10 * 2
const headersOf = async (accept: string, query: string, method: 'GET' | 'POST', asking: object = ASKING) => {
  const headers = { accept, ...asking }
  const asked =
    method === 'GET'
      ? { method, url: `/graphql?query=${encodeURIComponent(query)}`, headers }
      : { method, url: '/graphql', headers: { ...headers, 'content-type': 'application/json' }, payload: { query } }
  return (await app.inject(asked)).headers
}

test.each([
  ['a query', '{ __typename }', 'POST'],
  ['a query in an address', '{ __typename }', 'GET'],
  ['a document with a violation', '{ nothing }', 'POST'],
  ['a refused operation', '{ node(id: "job_nothing") { id } }', 'POST'],
] as const)("the answer to %s says the database's time, where the request asks for it", async (_, query, method) => {
  const headers = await headersOf('application/json', query, method)
  expect(headers['x-sonant-time']).toBe(String(DATABASE_TIME.getTime()))
  expect(await headersOf('application/json', query, method, {})).not.toHaveProperty('x-sonant-time')
})

test.each([
  ['a query', '{ service { version } }', 2],
  ['a page and a count', '{ jobs(first: 10) { totalCount nodes { id } } }', COUNTED_PAGE],
  ['a mutation', 'mutation { signOut { __typename } }', 2],
] as const)('the answer to %s says what it costs, where the request asks for it', async (_, query, operation) => {
  const costOf = async (headers: object) => {
    const asked = { headers: { 'content-type': 'application/json', ...headers }, payload: { query } }
    return (await app.inject({ method: 'POST', url: '/graphql', ...asked })).json().extensions?.cost
  }
  expect(await costOf({ 'x-sonant-cost': '1' })).toEqual({ operation, limit: 20_000 })
  expect(await costOf({})).toBeUndefined()
  expect(await costOf({ 'x-sonant-cost': '0' })).toBeUndefined()
})

test('an operation that costs too much is rejected with its cost', async () => {
  const query = '{ jobs(first: 100) { nodes { ... on VoiceJob { words { text } } } } }'
  const asked = {
    headers: { 'content-type': 'application/json', 'x-sonant-cost': '1' },
    payload: { query },
  }
  const answer = (await app.inject({ method: 'POST', url: '/graphql', ...asked })).json()
  expect(answer.extensions.cost.operation).toBeGreaterThan(20_000)
  expect(answer.errors[0].message).toContain(String(answer.extensions.cost.operation))
})

test('the page of GraphiQL says none', async () => {
  const headers = await headersOf('text/html', '', 'GET')
  expect([headers['content-type'], headers['x-sonant-time']]).toEqual(['text/html; charset=utf-8', undefined])
})

test('HEAD of a query that may be answered with events is answered as GET is, without what would come', async () => {
  for (const [query, status] of [
    ['{ __typename }', 200],
    ['{ nothing }', 200],
    ['subscription { jobUpdated(id: "job_x") { status } }', 405],
  ] as const) {
    const asked = { url: `/graphql?query=${encodeURIComponent(query)}`, headers: { accept: 'text/event-stream' } }
    const [head, get] = [await app.inject({ ...asked, method: 'HEAD' }), await app.inject({ ...asked, method: 'GET' })]
    expect([query, head.statusCode, get.statusCode, head.body]).toEqual([query, status, status, ''])
  }
})

/** Collects the errors that the service of `broken` logs. */
const buildLogged = async (changes: Partial<TestRuntime['runtime']> = {}) => {
  const logged: unknown[] = []
  const log = new Proxy(service.runtime.log, {
    get: (target, name) => (name === 'error' ? (...line: unknown[]) => logged.push(line) : Reflect.get(target, name)),
  })
  return { logged, app: await buildApp({ ...service.runtime, ...changes, log }) }
}

test('what the service itself fails at is logged', async () => {
  const now = (): Date => {
    throw new Error('no clock')
  }
  const { app: broken, logged } = await buildLogged({ now })
  const payload = { query: '{ __typename }' }
  const answer = await broken.inject({ method: 'POST', url: '/graphql', headers: ASKING, payload })
  expect([answer.statusCode, answer.json().error_code]).toEqual([500, 'INTERNAL_ERROR'])
  expect(logged).toMatchObject([[{ route: '/graphql', method: 'POST' }, 'a request failed']])
  expect(JSON.stringify(logged)).toContain('no clock')
  await broken.close()
})

test('clients that leave, before their stream of events begins or after, are nothing that fails', async () => {
  const { app: observed, logged } = await buildLogged()
  const { key } = await service.createCaller()
  const url = await observed.listen({ host: '127.0.0.1', port: 0 })
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'content-type': 'application/json' }
  const body = JSON.stringify({ query: 'subscription { accountUpdated { credits } }' })
  const leaveAfter = async (ms: number): Promise<unknown> => {
    const signal = AbortSignal.timeout(ms)
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body, signal })
    return answer.text()
  }
  const times = Array.from({ length: 40 }, (_, nth) => 3 * nth + 1)
  const left = await Promise.allSettled(times.map(leaveAfter))
  expect(new Set(left.map(({ status }) => status))).toEqual(new Set(['rejected']))
  await observed.close()
  expect(logged).toEqual([])
})
