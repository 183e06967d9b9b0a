import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { dialectOf } from '../../src/engines/dialects.ts'
import type { EngineErrorCode, SpeechEngine, SpeechRequest } from '../../src/engines/engine.ts'
import { openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { splitText } from '../../src/voice/split.ts'
import { type KindServer, KNOWN_PROFILES, SERVER_KINDS, startServerOf } from '../setup/servers/speech-server-kinds.ts'

const KEYS: Readonly<Record<string, string>> = { GOOD_KEY: 'sk-0123456789', WRONG_KEY: 'sk-wrong' }
const engines = openEngines({ threads: 1, log: openLog('silent'), lookUp: (name) => KEYS[name] })
let server: KindServer
afterEach(() => server.close())
afterAll(() => engines.close())

const fails = (code: EngineErrorCode | undefined) => expect.objectContaining({ name: 'EngineError', code })

describe.each(KNOWN_PROFILES)('a server of the kind %s', (profile) => {
  const kind = SERVER_KINDS[profile]
  const dialect = dialectOf(profile)
  const start = async (key?: string) => {
    server = await startServerOf(profile, key)
  }
  const use = <T>(work: (engine: SpeechEngine) => Promise<T>, block: object = {}) =>
    engines.use(
      { kind: 'openai-speech', profile, base_url: server.url, model: kind.model, retry_seconds: 0, ...block },
      work,
    )
  const named = (engineVoice: string) =>
    ({ slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null }) as const
  const speak = (changes: Partial<SpeechRequest> = {}, block: object = {}) =>
    use(async (engine) => {
      const voice = named(kind.voices[0] ?? '')
      const request = { text: 'Hello there.', voice, extra: {}, signal: AbortSignal.timeout(60_000) }
      return (await engine.speak({ ...request, ...changes })).audio.samples.length
    }, block)
  const sent = () => server.calls.at(-1)?.body ?? {}

  test('lists its voices, if it can', async () => {
    await start()
    const voices = await use((engine) => engine.voices(AbortSignal.timeout(60_000)))
    expect(voices).toEqual(dialect.voices === undefined ? null : kind.voices)
  })

  test('speaks a sentence, and gets no field that it does not know, whatever the job has', async () => {
    await start()
    expect(await speak()).toBeGreaterThan(0)
    expect(await speak({ styleInstruction: 'calm', language: 'French', seed: 7, expectedSeconds: 2 })).toBeGreaterThan(
      0,
    )
    expect(
      server.calls.flatMap(({ body }) => Object.keys(body)).filter((field) => !kind.fields.includes(field)),
    ).toEqual([])
    expect('instructions' in sent()).toBe(dialect.instructions !== null)
    expect('seed' in sent()).toBe(dialect.seed === true)
  })

  test('gets a language in its own form', async () => {
    await start()
    await speak({ language: 'French' })
    const forms = { title: 'French', lower: 'french', given: 'French', code: 'fr' }
    expect(sent().language).toBe(dialect.language === null ? undefined : forms[dialect.language])
  })

  test('speaks at the paces of its range, and is asked for no other', async () => {
    await start()
    for (const speed of dialect.speed ?? []) {
      await speak({ speed })
      expect(sent().speed).toBe(speed)
    }
    await speak({ speed: 1 })
    const asked = server.calls.length
    for (const speed of [5, 0.1]) await expect(speak({ speed })).rejects.toEqual(fails('RENDER_FAILED'))
    expect(server.calls.length).toBe(asked)
  })

  test('gets a style of the length that it takes', async () => {
    await start()
    await speak({ styleInstruction: 'calm and slow '.repeat(500) })
    const { instructions = '' } = sent()
    expect(String(instructions).length).toBeLessThanOrEqual(dialect.instructions ?? 0)
  })

  test('is judged right where it does not know the voice or the model', async () => {
    await start()
    const unknown = speak({ voice: named('nobody') })
    if (kind.wrongVoice === null) expect(await unknown).toBeGreaterThan(0)
    else await expect(unknown).rejects.toEqual(fails(kind.wrongVoice[1]))
    if (kind.wrongModel) await expect(speak({}, { model: 'other' })).rejects.toEqual(fails(kind.wrongModel[1]))
  })

  test('takes the longest part of a text, and rejects a longer text once', async () => {
    await start()
    const [longest = ''] = splitText('a long day '.repeat(200), 'English')
      .map(({ text }) => text)
      .sort((a, b) => b.length - a.length)
    expect(await speak({ text: longest })).toBeGreaterThan(0)
    const text = 'word '.repeat(1000)
    if (kind.tooLong) await expect(speak({ text }, { retry_seconds: 30 })).rejects.toEqual(fails(kind.tooLong[1]))
    expect(server.calls.length).toBeLessThanOrEqual(2)
  })

  test('wants its key, if it has one', async () => {
    await start(KEYS.GOOD_KEY)
    expect(await speak({}, { api_key_env: 'GOOD_KEY' })).toBeGreaterThan(0)
    if (!kind.wrongKey) return
    for (const block of [{ api_key_env: 'WRONG_KEY' }, {}])
      await expect(speak({}, block)).rejects.toEqual(fails('INTERNAL_ERROR'))
  })

  test.each(Object.keys(kind.spells))(
    'that is %s fails with the right code, and speaks once it is well',
    async (spell) => {
      await start()
      server.suffer(spell)
      const error = await speak().catch((thrown: unknown) => thrown)
      expect(error).toEqual(fails(kind.spells[spell]?.[1]))
      expect((error as Error).message).not.toMatch(/the text of the request|Hello/)
      server.suffer(null)
      expect(await speak()).toBeGreaterThan(0)
    },
  )
})

test('an answer that breaks off is asked for three times, and other requests go on', async () => {
  server = await startServerOf('speaches')
  const { model } = server.kind
  const block = { kind: 'openai-speech', profile: 'speaches', base_url: server.url, model, retry_seconds: 60 }
  const say = (engineVoice: string) =>
    engines.use(block, (engine) => {
      const voice = { slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
      return engine.speak({ text: 'Hello.', voice, extra: {}, signal: AbortSignal.timeout(60_000) })
    })
  for (let n = 0; n < 2; n++) await expect(say('nobody')).rejects.toEqual(fails('PROVIDER_UNAVAILABLE'))
  expect(server.calls.length).toBe(6)
  expect((await say('af_heart')).audio.samples.length).toBeGreaterThan(0)
})
