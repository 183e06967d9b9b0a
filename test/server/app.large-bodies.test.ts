import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

/** One network may send this many bodies of a megabyte at once. */
const AT_ONCE = 128
const LENGTH = 1024 * 1024

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

/** Sends the head of a request, and of its body one byte. */
function begin(key: string, more = ''): Socket {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' })
  socket.on('error', () => undefined)
  const head = `POST /api/v1/voice/tts HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`
  socket.write(`${head}\r\ncontent-length: ${LENGTH}\r\n${more}\r\n{`)
  return socket
}

test('a handshake of a WebSocket has no body to count, whatever it declares', async () => {
  const { port } = new URL(service.url)
  const head =
    'GET /graphql HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13'
  for (let n = 0; n < AT_ONCE; n++) {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.on('error', () => undefined)
    socket.write(
      `${head}\r\nsec-websocket-protocol: graphql-transport-ws\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\ncontent-length: ${LENGTH}\r\n\r\n`,
    )
    await once(socket, 'data')
    socket.destroy()
  }
  const { key } = await service.createCaller()
  const body = { inputs: { text: 'x'.repeat(LENGTH - 100) } }
  expect((await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body })).status).toBe(400)
})

test('a request that is answered before its body has come gives its share back', async () => {
  for (let n = 0; n < AT_ONCE; n++) {
    const socket = begin('snt_nonsense', 'connection: close\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1.1 401 /)
    socket.destroy()
  }
  const { key } = await service.createCaller()
  const body = { inputs: { text: 'x'.repeat(LENGTH - 100) } }
  expect((await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body })).status).toBe(400)
})

test('a body that is too large is answered with 413 every time, over a connection that lives on', async () => {
  const { key } = await service.createCaller()
  const body = Buffer.alloc(8 * LENGTH, 'x')
  for (let n = 0; n < 10; n++) {
    const answer = await call(`${service.url}/graphql`, { method: 'POST', body, ...(n % 2 === 0 && { key }) })
    expect(answer.status).toBe(413)
    expect(answer.headers.connection).not.toBe('close')
  }
})

test('bodies that never come whole leave room for those that do, and take none once their clients are gone', async () => {
  const { key } = await service.createCaller()
  const received = { count: 0 }
  service.app.server.on('request', () => received.count++)
  const slow = Array.from({ length: AT_ONCE }, () => begin(key))
  await until(() => received.count === AT_ONCE, 60_000, 'the requests')
  const [answer] = (await once(begin(key), 'data')) as [Buffer]
  expect(String(answer)).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*"RATE_LIMITED"/i)
  const voice = service.runtime.catalog.current.endpoints.get('tts')?.voices[0]?.slug
  const send = async (text: string) => {
    const body = { inputs: { text, voice } }
    return (await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body })).status
  }
  expect(await send('Hello.')).toBe(202)
  for (const socket of slow) socket.destroy()
  await until(async () => (await send('x'.repeat(LENGTH - 100))) === 400, 60_000, 'a large body to be read')
})

test('connections without a key that declare bodies for GraphQL keep no caller with a key waiting', async () => {
  const { port } = new URL(service.url)
  const head =
    'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
  const received = { count: 0 }
  service.app.server.on('request', () => received.count++)
  const idle = Array.from({ length: 200 }, () => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.on('error', () => undefined)
    socket.write(head)
    return socket
  })
  await until(() => received.count === idle.length, 60_000, 'the requests')
  const { key } = await service.createCaller()
  const body = Readable.from([JSON.stringify({ inputs: { text: 'Hello.', voice: 'aria' } })])
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await request(`${service.url}/api/v1/voice/tts`, { method: 'POST', headers, body })
  expect([answer.statusCode, await answer.body.json()]).toMatchObject([202, { status: 'queued' }])
  for (const socket of idle) socket.destroy()
})
