import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const WANTED = [
  'connection: Upgrade\r\nupgrade: foo',
  'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk',
  'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'connection: keep-alive, Upgrade\r\nupgrade: websocket, foo',
  'connection: close\r\nupgrade: foo',
]
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

let service: TestRuntime
let port: number
beforeAll(async () => {
  service = await startTestRuntime()
  port = Number(new URL(service.url).port)
})
afterAll(() => service?.close())

/** All that comes back until the server hangs up; the client never does. */
async function exchange(request: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write(request)
  const answer = await text(socket)
  socket.destroy()
  const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s)
  const headers = Object.fromEntries(
    [...head.matchAll(/^([^:\r\n]+): (.*)\r?$/gm)].map(([, k = '', v]) => [k.toLowerCase(), v]),
  )
  return { status: Number(head.split(' ')[1]), headers, body }
}

describe('a request that wants to leave HTTP', () => {
  describe.each(WANTED)('%j', (headers) => {
    test.each([
      'GET /health/live',
      'GET /nothing',
      'HEAD /api/v1/public/voice',
      'DELETE /health/live',
      'GET /api/v1/voice/jobs/job_1',
      'GET /media/none?expires=1',
      'GET /graphql/',
      'GET /%67raphql?query={__typename}',
      'GET /%ff',
    ])('%s is answered as without the header, and the connection closes', async (line) => {
      const plain = await exchange(`${line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      const wanted = await exchange(`${line} HTTP/1.1\r\nhost: a\r\n${headers}\r\n\r\n`)
      const volatile = { date: '', 'x-request-id': '' }
      expect({ ...wanted, headers: { ...wanted.headers, ...volatile } }).toEqual({
        ...plain,
        headers: { ...plain.headers, ...volatile },
      })
    })

    test('is answered with events, and the connection closes', async () => {
      const body = '{"query":"{__typename}"}'
      const event = `accept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`
      const answer = await exchange(`POST /graphql HTTP/1.1\r\nhost: a\r\n${headers}\r\n${event}\r\n${body}`)
      expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
      expect(answer.body).toContain('event: complete')
    })

    test('with a body is read whole', async () => {
      const body = '{"query":"{__typename}"}'
      const head = `POST /graphql HTTP/1.1\r\nhost: a\r\n${headers}\r\ncontent-type: application/json\r\n`
      const sized = await exchange(`${head}content-length: ${body.length}\r\n\r\n${body}`)
      const chunked = await exchange(
        `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      )
      for (const answer of [sized, chunked])
        expect([answer.status, answer.body]).toEqual([200, '{"data":{"__typename":"Query"}}'])
    })
  })

  test.each(['GET /health/live', 'POST /graphql'])('%s over HTTP/1.0 is answered, too', async (line) => {
    const { status } = await exchange(`${line} HTTP/1.0\r\n${WANTED[2]}\r\n\r\n`)
    expect([200, 415]).toContain(status)
  })

  test.each([
    ['no key', { 'sec-websocket-key': undefined }],
    ['a key that is too short', { 'sec-websocket-key': 'AA==' }],
    ['two keys', { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==' }],
    ['no version', { 'sec-websocket-version': undefined }],
    ['another version', { 'sec-websocket-version': '99' }],
    ['no list of protocols', { 'sec-websocket-protocol': ',,' }],
    ['one protocol twice', { 'sec-websocket-protocol': 'graphql-transport-ws, graphql-transport-ws' }],
  ])('a handshake with %s is refused in the shape of every other error', async (_what, changes) => {
    const fields = Object.entries({ ...HANDSHAKE, ...changes }).filter(([, value]) => value !== undefined)
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const { status, headers, body } = await exchange(`GET /graphql HTTP/1.1\r\nhost: a\r\n${lines}\r\n`)
    expect([status, JSON.parse(body)]).toEqual([400, expect.objectContaining({ error_code: 'INVALID_REQUEST' })])
    expect(JSON.parse(body).error).toMatch(/WebSocket handshake/)
    expect(headers).toMatchObject({
      'sec-websocket-version': '13',
      connection: 'close',
      'x-content-type-options': 'nosniff',
      'referrer-policy': expect.any(String),
      'x-request-id': expect.any(String),
    })
  })

  test('two Host headers refuse a handshake, and its socket closes', async () => {
    const lines = Object.entries(HANDSHAKE).map(([name, value]) => `${name}: ${value}\r\n`)
    const { status, body } = await exchange(`GET /graphql HTTP/1.1\r\nhost: a\r\nhost: b\r\n${lines.join('')}\r\n`)
    expect([status, JSON.parse(body).error]).toEqual([400, 'Send one Host header.'])
  })

  test('CONNECT is refused in the shape of every other error', async () => {
    const { status, headers, body } = await exchange(
      'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n',
    )
    expect([status, JSON.parse(body)]).toEqual([405, { error: expect.any(String), error_code: 'METHOD_NOT_ALLOWED' }])
    expect(headers).toMatchObject({ allow: expect.any(String), 'x-content-type-options': 'nosniff' })
  })

  test('a WebSocket handshake for GraphQL still opens one, with a query string as well', async () => {
    for (const path of ['/graphql', '/graphql?from=here']) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, ['other', 'graphql-transport-ws'])
      await once(socket, 'open')
      expect(socket.protocol).toBe('graphql-transport-ws')
      socket.terminate()
    }
  })
})
