import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../../src/server/app.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'

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

test('the page of GraphiQL says none', async () => {
  const headers = await headersOf('text/html', '', 'GET')
  expect([headers['content-type'], headers['x-sonant-time']]).toEqual(['text/html; charset=utf-8', undefined])
})
