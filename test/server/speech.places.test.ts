import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { call, type Reply } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const OPENING = 'This is the sentence that is heard before all others are.'
const TEXT = `${OPENING} ${'And this is one of those that come later on, one after the other.\n\n'.repeat(6)}`
const SUBMIT = `mutation ($text: String!) { submitVoiceJob(slug: "slow", inputs: { text: $text, voice: "calm" }, live: true) {
  ... on VoiceJobSubmission { jobId } } }`
const LIVE = 'query ($id: ID!) { voiceJob(jobId: $id) { opus: liveUrl(format: OPUS) wav: liveUrl(format: WAV) } }'
const PLACES = 24
const TIMEOUT_MS = 60_000

let server: SpeechServer
let service: TestRuntime
let rest: PromiseWithResolvers<void>
beforeAll(async () => {
  server = await startSpeechServer()
  service = await startTestRuntime({ worker: true })
  const engine = { base_url: server.url, max_in_flight: 8, retry_seconds: 1 }
  const inputs = {
    type: 'object',
    additionalProperties: false,
    required: ['text', 'voice'],
    properties: { text: { type: 'string' }, voice: { type: 'string' } },
  }
  await applyEndpoint(service.runtime, 'slow', engine, { inputs })
  rest = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith(OPENING) ? {} : { until: rest.promise }))
})
afterAll(async () => {
  rest.resolve()
  await service.close()
  await server.close()
})

const graphql = async <T>(key: string, query: string, variables: object): Promise<T> =>
  (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query, variables } })).json<{ data: T }>().data

async function caller() {
  const { key, account } = await service.createCaller()
  const done = await submitText(service.url, key, 'tts', 'It is read in another format.', 'aria')
  await finishedJob(service.url, key, done)
  const audio = (format: string) => call(`${service.url}/api/v1/voice/jobs/${done}/audio?format=${format}`, { key })
  const speak = (format: string) =>
    call(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      key,
      body: { model: 'tts', voice: 'aria', input: 'It is spoken.', response_format: format },
    })
  return { key, account, audio, speak }
}

async function live(key: string): Promise<{ opus: string; wav: string }> {
  const { submitVoiceJob } = await graphql<{ submitVoiceJob: { jobId: string } }>(key, SUBMIT, { text: TEXT })
  const { jobId: id } = submitVoiceJob
  return (await graphql<{ voiceJob: { opus: string; wav: string } }>(key, LIVE, { id })).voiceJob
}

const take = (account: string, places = PLACES) =>
  Promise.all(Array.from({ length: places }, () => service.runtime.audio.shares.encoded.acquire(account)))

/** Opens audio, and resolves with what hangs up once its first bytes are there. */
const open = (url: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) =>
      response.once('data', () => resolve(() => response.destroy())).on('error', () => undefined),
    ).on('error', reject)
  })

const asBusy = ({ status, headers }: Reply) => [status, Number(headers['retry-after'])]

describe('an account whose share of the encoders is taken', () => {
  test('waits ten seconds at all three doors and is sent away; WAV, and other accounts, are served meanwhile', async () => {
    const [one, other] = await Promise.all([caller(), caller()])
    const urls = await live(one.key)
    const taken = await take(one.account)
    const waiting = Promise.all([call(urls.opus), one.audio('opus'), one.speak('opus')])
    const stop = await open(urls.wav)
    stop()
    expect((await other.audio('opus')).status).toBe(200)
    expect((await other.speak('mp3')).status).toBe(200)
    const [heard, read, spoken] = await waiting
    for (const reply of [heard, read, spoken]) expect(asBusy(reply)).toEqual([503, 5])
    expect(read.json()).toMatchObject({ error_code: 'UNAVAILABLE' })
    expect(spoken.json()).toMatchObject({ error: { type: 'server_error' }, error_code: 'UNAVAILABLE' })
    for (const release of taken) release()
    expect((await one.speak('opus')).status).toBe(200)
  })

  test('has the place of a reader that hangs up at once, be it that reads or one that waits', async () => {
    const one = await caller()
    const urls = await live(one.key)
    const taken = await take(one.account, PLACES - 1)
    const stop = await open(urls.opus)
    const acquired = vi.spyOn(service.runtime.audio.shares.encoded, 'acquire')
    const waits = get(urls.opus, { agent: false }).on('error', () => undefined)
    await until(() => acquired.mock.calls.length > 0, TIMEOUT_MS, 'a reader to wait')
    const gone = acquired.mock.results[0]?.value as Promise<() => void>
    acquired.mockRestore()
    waits.destroy()
    await expect(gone).rejects.toThrow()
    stop()
    const [release] = await take(one.account, 1)
    release?.()
    for (const each of taken) each()
  })
})
