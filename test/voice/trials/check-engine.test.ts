import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { ask, codeOf, errorOf, mutation, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { usersOf } from '../../setup/service/users.ts'

const CHECK = 'endpoint kind server ok voicesOffered voicesMissing speechMs audioMs error'
const check = (slug: string) => mutation(`checkEngine(slug: "${slug}")`, `... on EngineCheck { ${CHECK} }`)
const SAMPLES = `query ($slug: String!) { endpointVoices(slug: $slug) { voices { slug language sampleUrl } } }`
const VOICES = [
  { slug: 'calm', name: 'Calm', kind: 'preset', engine_voice: 'Vivian', language: 'French' },
  { slug: 'gone', name: 'Gone', kind: 'preset', engine_voice: 'Nobody' },
]

interface Samples {
  readonly endpointVoices: { readonly voices: { slug: string; language: string | null; sampleUrl: string | null }[] }
}

let service: TestRuntime
let server: SpeechServer
let operator: string
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  server = await startSpeechServer()
  const account = await service.createAccount()
  operator = (await service.createKey(account, ['operator', 'generate:voice'])).apiKey
  key = (await service.createKey(account)).apiKey
  const engine = { base_url: server.url, max_in_flight: 1 }
  await applyEndpoint(service.runtime, 'remote', engine, { voices: VOICES })
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const samplesOf = async (slug: string) =>
  (await read<Samples>(service.url, key, SAMPLES, { slug })).endpointVoices.voices

describe('checkEngine', () => {
  test('has the engine list its voices and speak, and names those that it lacks', async () => {
    server.offer({ voices: ['vivian', 'Ryan'] })
    expect((await read<{ checkEngine: object }>(service.url, operator, check('remote'))).checkEngine).toEqual({
      endpoint: 'remote',
      kind: 'openai-speech',
      server: server.url,
      ok: false,
      voicesOffered: 2,
      voicesMissing: ['Nobody'],
      speechMs: expect.any(Number),
      audioMs: expect.any(Number),
      error: null,
    })
  })

  test('says why an engine does not speak, without asking it again and again', async () => {
    const before = server.calls.length
    server.answer(() => ({ status: 500, json: { detail: 'out of memory' } }))
    const { checkEngine } = await read<{ checkEngine: { error: string } }>(service.url, operator, check('remote'))
    expect(checkEngine).toMatchObject({ ok: false, speechMs: null, error: expect.stringContaining('500') })
    expect(server.calls.length - before).toBe(1)
    server.answer(() => ({}))
  })

  test('is for operators, who need no password for what changes nothing', async () => {
    const users = usersOf(service)
    const { cookie } = await users.user('owner')
    expect(codeOf(await users.ask(check('remote'), {}, cookie))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, key, check('remote')))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, check('remote')))).toBe('UNAUTHORIZED')
    const unknown = errorOf(await ask(service.url, operator, check('none')))
    expect([unknown?.code, unknown?.message]).toEqual(['NOT_FOUND', expect.stringContaining('"none"')])
  })
})

describe('the sample of a voice', () => {
  test('is rendered for its first listener, in the language of the voice, and kept', async () => {
    const before = server.calls.length
    const [calm] = await samplesOf('remote')
    expect(calm).toEqual({ slug: 'calm', language: 'French', sampleUrl: expect.stringContaining('/media/samples/') })
    const url = calm?.sampleUrl ?? ''
    const [first, second] = await Promise.all([call(url), call(url)])
    const third = await call(url)
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200])
    expect(first.headers['content-type']).toBe('audio/mpeg')
    expect([first.bytes.length > 1000, third.bytes.equals(first.bytes)]).toEqual([true, true])
    const { etag = '' } = first.headers
    const [same, other] = [etag, '"other"'].map((tag) => call(url, { headers: { 'if-none-match': tag } }))
    expect([(await same)?.status, (await same)?.bytes.length, (await other)?.status]).toEqual([304, 0, 200])
    expect(server.calls.slice(before).map(({ body }) => [body.voice, body.input])).toEqual([
      ['Vivian', expect.stringContaining('Bonjour')],
    ])
  })

  test('is refused under any URL that was not signed, and says when its engine is away', async () => {
    const [, gone] = await samplesOf('remote')
    const url = gone?.sampleUrl ?? ''
    expect((await call(url.replace('gone', 'calm'))).status).toBe(403)
    server.answer(() => ({ status: 500 }))
    expect((await call(url)).status).toBe(503)
    server.answer(() => ({}))
    expect((await call(url)).status).toBe(200)
  })

  test('has no URL for callers without a key, nor where workers alone reach the server', async () => {
    const { data } = await ask<{ catalog: { endpoints: { voices: { sampleUrl: string | null }[] }[] } }>(
      service.url,
      null,
      '{ catalog { endpoints { voices { sampleUrl language } } } }',
    )
    const voices = data?.catalog.endpoints.flatMap((endpoint) => endpoint.voices) ?? []
    expect(new Set(voices.map(({ sampleUrl }) => sampleUrl))).toEqual(new Set([null]))
    await applyEndpoint(service.runtime, 'owned', { base_url: 'worker', max_in_flight: 1 }, { voices: VOICES })
    expect((await samplesOf('owned')).map(({ sampleUrl }) => sampleUrl)).toEqual([null, null])
  })

  test('has a language of the ten, or none', async () => {
    const wrong = applyEndpoint(service.runtime, 'odd', {}, { voices: [{ ...VOICES[0], language: 'Klingon' }] })
    await expect(wrong).rejects.toMatchObject({
      details: [{ message: expect.stringContaining('endpoints.0.voices.0.language') }],
    })
  })
})
