import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { exchange } from '../../setup/service/start-rest.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { METRICS_PORT: '0' } })
})
afterAll(() => service?.close())

const ask = (bytes: string) => exchange(Number(new URL(service.metricsUrl).port), bytes)
const get = (path: string, lines = 'host: a\r\n') => `GET ${path} HTTP/1.1\r\n${lines}\r\n`

test.each([
  ['/metrics', get('/metrics'), 200],
  ['/health/live', get('/health/live'), 200],
  ['/health/ready', get('/health/ready'), 200],
  ['an unknown path', get('/nothing'), 404, 'NOT_FOUND'],
  ['another method', 'POST /metrics HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['two Host headers', get('/metrics', 'host: a\r\nhost: b\r\n'), 400, 'INVALID_REQUEST'],
  ['a malformed Host header', get('/metrics', 'host: a b\r\n'), 400, 'INVALID_REQUEST'],
  ['no Host header', get('/metrics', ''), 400, 'INVALID_REQUEST'],
  ['what is no HTTP', 'nonsense\r\n\r\n', 400, 'INVALID_REQUEST'],
  ['an unknown expectation', get('/metrics', 'host: a\r\nexpect: wonders\r\n'), 400, 'INVALID_REQUEST'],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['an upgrade', get('/health/live', 'host: a\r\nconnection: upgrade\r\nupgrade: foo\r\n'), 200],
])('the port of the metrics answers %s as the public one does', async (_what, bytes, status, code?: string) => {
  const answer = await ask(bytes)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  for (const header of [/x-content-type-options: nosniff/i, /referrer-policy: same-origin/i, /x-request-id: \S+/i])
    expect(head).toMatch(header)
  if (code !== undefined) expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), error_code: code })
})

test('the port of the metrics names the methods that it takes', async () => {
  for (const bytes of [
    'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n',
    'PUT /metrics HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n',
  ])
    expect(await ask(bytes)).toMatch(/^allow: GET, HEAD\r$/im)
})
