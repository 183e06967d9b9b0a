import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { startTestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

/** A connection that nothing ends is held for so long, and then ended by force. */
const GRACE_SECONDS = 60

test('a connection is over with the answer that was still owed to it, and holds up no stop', async () => {
  const service = await startTestRuntime({ env: { SHUTDOWN_SECONDS: String(GRACE_SECONDS) } })
  const { key } = await service.createCaller()
  const { hostname: host, port } = new URL(service.url)
  const socket = connect({ host, port: Number(port) })
  const body = JSON.stringify({ inputs: { text: 'Still answered.', voice: 'aria' } })
  const head = `host: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.write(`POST /api/v1/voice/tts HTTP/1.1\r\n${head}\r\nexpect: 100-continue\r\n\r\n`)
  const [begun] = await once(socket, 'data')
  expect(String(begun)).toContain('100 Continue')
  const started = performance.now()
  const closed = service.close()
  await until(() => !service.app.server.listening, 30_000, 'the server to close')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += String(chunk)
  })
  socket.write(body)
  // The client would use its connection again.
  await once(socket, 'end')
  await closed
  expect(answer).toContain('HTTP/1.1 202')
  expect(performance.now() - started).toBeLessThan((GRACE_SECONDS * 1000) / 2)
})

test('while a process drains every answer is the last of its connection: where no route takes the request, and to a preflight', async () => {
  const service = await startTestRuntime({ env: { CORS_ORIGINS: '*' } })
  const preflight = { origin: 'https://page.example.org', 'access-control-request-method': 'GET' }
  const answers = async () => [
    await call(`${service.url}/health/live`),
    await call(`${service.url}/nowhere`),
    await call(`${service.url}/api/v1/jobs`, { method: 'OPTIONS', headers: preflight }),
  ]
  const shown = async () => (await answers()).map(({ status, headers }) => [status, headers.connection])
  expect(await shown()).toEqual([200, 404, 204].map((status) => [status, 'keep-alive']))
  service.readiness.drain()
  expect(await shown()).toEqual([200, 404, 204].map((status) => [status, 'close']))
  await service.close()
})
