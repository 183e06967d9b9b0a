import { afterEach, describe, expect, test } from 'vitest'
import { type DetectedServer, detectServer } from '../../src/engines/detect-server.ts'
import { type Engines, openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { KNOWN_PROFILES, SERVER_KINDS, startServerOf } from '../setup/servers/speech-server-kinds.ts'

const KEY = 'sk-0123456789'
let server: SpeechServer | undefined
let engines: Engines | undefined
afterEach(async () => {
  await engines?.close()
  await server?.close()
})

const detect = async (profile: (typeof KNOWN_PROFILES)[number]): Promise<DetectedServer> => {
  server = await startServerOf(profile)
  return detectServer(server.url)
}
const detectAt = async (pages: Parameters<SpeechServer['show']>[0], key?: string) => {
  server = await startSpeechServer()
  server.show(pages)
  return detectServer(server.url, key)
}
const wrong = (code: string, message: RegExp) =>
  expect.objectContaining({ name: 'EngineError', code, message: expect.stringMatching(message) })

describe.each(KNOWN_PROFILES)('a server of the kind %s', (profile) => {
  test('is told from its public paths, with the models that speak and the voices that it has, and nothing is spoken', async () => {
    const { baseUrl, models, isLoading, ...found } = await detect(profile)
    const { model, voices } = SERVER_KINDS[profile]
    expect([found.profile, baseUrl, isLoading]).toEqual([profile, server?.url, false])
    const one = models.find(({ id }) => id === model)
    expect(one).toBeDefined()
    for (const { name } of one?.voices ?? []) expect(voices).toContain(name)
    expect(models.map(({ id }) => id).filter((id) => /whisper|-chat|gpt-5/.test(id))).toEqual([])
    expect(server?.calls).toEqual([])
  })

  test('speaks with the profile, the model and a voice that were found', async () => {
    const { models } = await detect(profile)
    const { id: model, voices } = models.find(({ id }) => id === SERVER_KINDS[profile].model) ?? {}
    const engineVoice = voices?.[0]?.name ?? SERVER_KINDS[profile].voices[0] ?? null
    engines = openEngines({ threads: 1, log: openLog('silent'), lookUp: () => undefined })
    const block = { kind: 'openai-speech', profile, base_url: server?.url, model, retry_seconds: 0 }
    const voice = { slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
    const { audio } = await engines.use(block, (engine) =>
      engine.speak({ text: 'Hello.', voice, extra: {}, signal: AbortSignal.timeout(60_000) }),
    )
    expect(audio.samples.length).toBeGreaterThan(0)
  })
})

test('the languages of voices are known where a list or a name tells them', async () => {
  const languages = async (profile: (typeof KNOWN_PROFILES)[number]) => {
    const { models } = await detect(profile)
    await server?.close()
    return models.at(-1)?.voices?.map(({ language }) => language)
  }
  expect(await languages('kokoro')).toEqual(['English', 'English', 'Japanese'])
  expect(await languages('speaches')).toEqual(['German'])
  expect(await languages('orpheus')).toEqual(['English', 'French', 'Korean'])
  expect(await languages('chatterbox-tts-api')).toEqual(['French'])
  expect(await languages('chatterbox-tts-server')).toEqual([undefined, undefined])
})

test.each([
  ['nari', '/ready', { status: 503, json: { ready: false, phase: 'starting' } }],
  ['localai', '/readyz', { status: 503, body: '' }],
  ['chatterbox-tts-api', '/health', { json: { status: 'initializing', model_loaded: false } }],
  ['chatterbox-tts-server', '/api/model-info', { json: { loaded: false } }],
] as const)('%s tells that its model is still loading', async (profile, path, page) => {
  expect((await detectAt({ ...SERVER_KINDS[profile].pages, [path]: page })).isLoading).toBe(true)
})

test('an unknown server is generic, with what it lists', async () => {
  const pages = {
    '/v1/models': { json: { data: [{ id: 'one' }, { id: 'two' }, 'nonsense', { id: 7 }] } },
    '/v1/audio/voices': { json: ['Anna', { id: 'ben' }] },
  }
  const voices = [{ name: 'Anna' }, { name: 'ben' }]
  expect(await detectAt(pages)).toMatchObject({
    profile: 'generic',
    models: [
      { id: 'one', voices },
      { id: 'two', voices },
    ],
  })
})

test('an address is taken as people write it', async () => {
  server = await startServerOf('kokoro')
  const { host } = new URL(server.url)
  for (const address of [host, ` http://${host}/v1/ `, `http://${host}/v1/audio/speech`])
    expect(await detectServer(address)).toMatchObject({ baseUrl: server.url, profile: 'kokoro' })
})

test('a key is sent, and one that is missing or wrong is told', async () => {
  server = await startServerOf('openai', KEY)
  expect((await detectServer(server.url, KEY)).profile).toBe('openai')
  await expect(detectServer(server.url)).rejects.toEqual(wrong('INTERNAL_ERROR', /wants a key/))
  await expect(detectServer(server.url, 'sk-wrong')).rejects.toEqual(wrong('INTERNAL_ERROR', /refuses this key/))
})

test('what is no speech server, no address or not there is said in a sentence', async () => {
  const page = { body: '<!doctype html><title>Welcome</title>', headers: { 'content-type': 'text/html' } }
  const site = detectAt({ '/v1/models': page, '/openapi.json': page, '/.well-known/localai.json': page })
  await expect(site).rejects.toEqual(wrong('INTERNAL_ERROR', /^A web page answers at/))
  await server?.close()
  await expect(detectServer(server?.url ?? '')).rejects.toEqual(wrong('PROVIDER_UNAVAILABLE', /connection refused at/))
  for (const address of ['ftp://x', 'http://a:b@x', 'http://x?key=1', ''])
    await expect(detectServer(address)).rejects.toEqual(wrong('INTERNAL_ERROR', /Give the address as an http/))
  await expect(detectServer('worker')).rejects.toEqual(wrong('PROVIDER_UNAVAILABLE', /no such name|looked up/))
})

test('a server in an outage is not there, and one that sends too much or turns away is not followed', async () => {
  const away = { status: 502, body: '' }
  await expect(detectAt({ '/v1/models': away })).rejects.toEqual(wrong('PROVIDER_UNAVAILABLE', /502 was answered at/))
  await server?.close()
  const pages = {
    ...SERVER_KINDS.kokoro.pages,
    '/v1/audio/voices': { body: ' '.repeat(5 * 1024 * 1024) },
    '/v1/models': { status: 302, headers: { location: '/elsewhere' } },
  }
  expect(await detectAt(pages)).toMatchObject({ profile: 'kokoro', models: [] })
})

test('an asker who leaves is not kept waiting', async () => {
  server = await startSpeechServer()
  server.show({
    '/v1/models': { hang: true },
    '/openapi.json': { hang: true },
    '/.well-known/localai.json': { hang: true },
  })
  const reason = new Error('left')
  await expect(detectServer(server.url, undefined, AbortSignal.abort(reason))).rejects.toBe(reason)
  const leaving = new AbortController()
  const asked = detectServer(server.url, undefined, leaving.signal)
  setImmediate(() => leaving.abort(reason))
  await expect(asked).rejects.toBe(reason)
})
