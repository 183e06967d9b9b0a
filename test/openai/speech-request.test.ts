import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { scrape } from '../setup/service/scraped.ts'

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { METRICS_PORT: '0' } })
  await applyEndpoint(service.runtime, 'spoken', {}, { openai: { models: ['aloud'] } })
  await applyEndpoint(service.runtime, 'secret', {}, { required_scope: 'voice:studio' })
  key = (await service.createCaller()).key
})
afterAll(() => service.close())

const speak = async (body: object, headers: Record<string, string> = {}) =>
  (await call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body, headers })).status
const submissions = async () => {
  const samples = (await scrape(service.metricsUrl)).samples('submissions_total', { type: 'voice' })
  return Object.fromEntries(samples.map(({ labels, value }) => [`${labels.endpoint_key} ${labels.outcome}`, value]))
}

test('what is refused before it is a submission of an endpoint is counted as one, once, under the endpoint that it names', async () => {
  expect(await speak({ model: 'spoken', input: 'Hello.', voice: 'calm' }, { 'idempotency-key': 'once' })).toBe(200)
  expect(await submissions()).toEqual({ 'voice.spoken accepted': 1 })
  const refused: [object, number][] = [
    [{ model: 'spoken', input: 'Hello.', voice: 'nobody' }, 400],
    [{ model: 'aloud', input: '', voice: 'calm' }, 400],
    [{ model: 'spoken', input: 'Hello.', voice: 'calm', response_format: 'aac' }, 400],
    [{ model: 'spoken', input: 'Hello.', voice: 'calm', speed: 9 }, 400],
    [{ input: 'Hello.', voice: 'nobody' }, 400],
    [{ model: 'nowhere', input: 'Hello.' }, 404],
    [{ model: 'secret', input: 'Hello.' }, 404],
    [{ model: 7, input: 'Hello.' }, 400],
  ]
  for (const [body, status] of refused) expect([body, await speak(body)]).toEqual([body, status])
  expect(await speak({ model: 'spoken', input: 'Bye.', voice: 'nobody' }, { 'idempotency-key': 'once' })).toBe(422)
  expect(await submissions()).toEqual({
    'voice.spoken accepted': 1,
    'voice.spoken INVALID_REQUEST': 4,
    'voice.spoken IDEMPOTENCY_MISMATCH': 1,
    'voice.tts INVALID_REQUEST': 1,
    'other NOT_FOUND': 2,
    'other INVALID_REQUEST': 1,
  })
})

test('what the endpoint itself refuses is counted once', async () => {
  const before = await submissions()
  expect(await speak({ model: 'spoken', input: ' ', voice: 'calm' })).toBe(400)
  expect(await submissions()).toEqual({
    ...before,
    'voice.spoken INVALID_REQUEST': (before['voice.spoken INVALID_REQUEST'] ?? 0) + 1,
  })
})

test('a client without a key, or whose body is no JSON, has submitted nothing', async () => {
  const before = await submissions()
  const url = `${service.url}/v1/audio/speech`
  expect((await call(url, { method: 'POST', body: { input: 'Hello.' } })).status).toBe(401)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', headers, body: '{' })).status).toBe(400)
  expect(await submissions()).toEqual(before)
})
