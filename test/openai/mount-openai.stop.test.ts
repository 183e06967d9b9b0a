import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(12)
const TIMEOUT_MS = 30_000

let server: SpeechServer
let service: TestRuntime
beforeAll(async () => {
  server = await startSpeechServer()
  service = await startTestRuntime({ worker: true, env: { SHUTDOWN_SECONDS: '1' } })
})
afterAll(() => server.close())

test('a service that stops breaks off what it speaks, and answers 503 where nothing was heard yet', async () => {
  const engine = { kind: 'openai-speech', base_url: server.url, model: 'm', max_in_flight: 4, pool: 'gpu' }
  const properties = { text: { type: 'string', maxLength: 5000 }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  await applyEndpoint(service.runtime, 'gpu', engine, { inputs })
  const { key } = await service.createCaller()
  server.answer(({ body }) =>
    String(body.input).startsWith('The train') && String(body.input).length < 100 ? {} : { hang: true },
  )
  const url = `${service.url}/v1/audio/speech`
  const heard = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpu', input: LONG, response_format: 'wav' }),
  })
  expect(heard.status).toBe(200)
  const reader = heard.body!.getReader()
  await reader.read()
  const waiting = call(url, { method: 'POST', key, body: { model: 'gpu', input: 'Nothing of this is heard.' } })
  await until(
    () => server.calls.some(({ body }) => body.input === 'Nothing of this is heard.'),
    TIMEOUT_MS,
    'both to be asked for',
  )
  const rest = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read());
  })().then(
    () => 'clean',
    () => 'broken',
  )
  await service.close()
  expect(await rest).toBe('broken')
  const { status, headers } = await waiting
  expect([status, headers['retry-after']]).toEqual([503, '5'])
})
