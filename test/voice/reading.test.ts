import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { ask, codeOf, type GraphqlAnswer, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const QUERY = `query ($text: String!, $language: String, $slug: String, $voice: String) {
  reading(text: $text, language: $language, slug: $slug, voice: $voice) { spoken language tokens { start length kind spoken } }
}`

const VOICE = { slug: 'ernst', name: 'Ernst', description: 'A voice.', kind: 'preset' }

interface Reading {
  readonly spoken: string
  readonly language: string
  readonly tokens: readonly { start: number; length: number; kind: string; spoken: string }[]
}

let service: TestRuntime
let [key, account] = ['', '']
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  const caller = await service.createCaller()
  key = caller.key
  account = caller.account
  await applyEndpoint(service.runtime, 'ernst', {}, { voices: [{ ...VOICE, engine_voice: 'de' }] })
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(() => service?.close())

const readingOf = async (text: string, by: object = {}): Promise<Reading> =>
  (await read<{ reading: Reading }>(service.url, key, QUERY, { text, ...by })).reading

/** Each written part of a text with what is said instead. */
const parts = (text: string, { tokens }: Reading): [string, string, string][] =>
  tokens.map(({ start, length, kind, spoken }) => [[...text].slice(start, start + length).join(''), kind, spoken])

const detailsOf = ({ errors }: GraphqlAnswer<unknown>) => errors?.[0]?.extensions.details

describe('reading', () => {
  test('answers the words of a text, and each part that is said in other words, in code points', async () => {
    const text = '😀 It cost $1.50.'
    const found = await readingOf(text, { language: 'English' })
    expect(found).toMatchObject({ language: 'English' })
    expect(found.spoken).toContain('It cost one dollar fifty cents.')
    expect(parts(text, found)).toContainEqual(['$1.50', 'money', 'one dollar fifty cents'])
  })

  test('detects the language as jobs do', async () => {
    expect(await readingOf('Wir kommen am 3. Mai zu euch nach Hause.')).toMatchObject({
      language: 'German',
      spoken: 'Wir kommen am dritten Mai zu euch nach Hause.',
    })
    expect(await readingOf('1, 2')).toMatchObject({ language: 'English', spoken: 'one, two' })
    expect(await readingOf('1, 2', { slug: 'ernst' })).toMatchObject({ language: 'German', spoken: 'eins, zwei' })
    expect(await readingOf('1, 2', { slug: 'ernst', language: 'auto' })).toMatchObject({ language: 'German' })
  })

  test('is English without evidence of another language', async () => {
    const text = 'It costs $1.50 on 11/28/2026; see Chapter IV, call 555-123-4567. Dr. Smith.'
    expect(await readingOf(text, {})).toMatchObject({ language: 'English' })
  })

  test('counts in the text as it was sent, also if its letters are decomposed', async () => {
    const text = 'Café at 5 km'.normalize('NFD')
    const found = await readingOf(text, { language: 'English' })
    expect(found.spoken).toBe('Café at five kilometers')
    expect(parts(text, found)).toEqual([['5 km', 'measure', 'five kilometers']])
  })

  test('refuses what no endpoint speaks: another language, white space, a text that is too long, a voice of no endpoint', async () => {
    const refusedFor = async (variables: object) => {
      const answer = await ask(service.url, key, QUERY, variables)
      return [codeOf(answer), detailsOf(answer)?.map(({ path }) => path)]
    }
    expect([
      await refusedFor({ text: 'Hi.', language: 'Klingon' }),
      await refusedFor({ text: ' \n' }),
      await refusedFor({ text: 'a '.repeat(5001) }),
      await refusedFor({ text: 'Hello.'.repeat(100), slug: 'ernst' }),
      await refusedFor({ text: ' ', language: 'english' }),
      await refusedFor({ text: 'Hi.', voice: 'ernst' }),
    ]).toEqual([
      ['INVALID_REQUEST', ['/language']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text', '/language']],
      ['INVALID_REQUEST', ['/voice']],
    ])
  })

  test('needs generate:voice, and a restricted endpoint looks like a missing one', async () => {
    await applyEndpoint(service.runtime, 'few', {}, { required_scope: 'voice:few' })
    const { apiKey: reader } = await service.createKey(await service.createAccount(), ['job:read'])
    const codes = [
      [null, { text: 'Hi.' }],
      [reader, { text: 'Hi.' }],
      [key, { text: 'Hi.', slug: 'few' }],
      [key, { text: 'Hi.', slug: 'nowhere' }],
    ] as const
    expect(
      await Promise.all(codes.map(async ([by, variables]) => codeOf(await ask(service.url, by, QUERY, variables)))),
    ).toEqual(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'NOT_FOUND'])
  })

  test('costs its work and a usual number of parts, so that one query cannot read a thousand texts', async () => {
    const costOf = async (query: string) => {
      const headers = { 'x-sonant-cost': '1' }
      const reply = await call(`${service.url}/graphql`, { method: 'POST', key, headers, body: { query } })
      return reply.json<{ extensions?: { cost: { operation: number } } }>().extensions?.cost.operation
    }
    expect(await costOf('{ reading(text: "1") { spoken } }')).toBe(201)
    expect(await costOf('{ reading(text: "1") { tokens { start length kind spoken } } }')).toBe(2201)
    const many = Array.from({ length: 100 }, (_, at) => `r${at}: reading(text: "1") { spoken }`).join(' ')
    expect(codeOf(await ask(service.url, key, `{ ${many} }`))).toBe('INVALID_REQUEST')
  })
})

describe("an endpoint's reading is what its engine gets of a job:", () => {
  let server: SpeechServer
  beforeAll(async () => {
    server = await startSpeechServer()
    const at = (profile: string) => ({ base_url: server.url, max_in_flight: 4, profile, retry_seconds: 1 })
    const voices = [
      { ...VOICE, slug: 'calm', engine_voice: 'v' },
      { ...VOICE, slug: 'emma', engine_voice: 'bf_emma' },
      { ...VOICE, slug: 'ernst', engine_voice: 'w', language: 'German' },
    ]
    const { runtime } = service
    await applyEndpoint(runtime, 'words', at('kokoro'), { voices })
    await applyEndpoint(runtime, 'raw', at('kokoro'), { voices, text_normalization: 'off' })
    await applyEndpoint(runtime, 'own-words', at('generic'), { voices })
    await applyEndpoint(runtime, 'pauses', at('kokoro'), { voices, markup: 'pauses' })
    await applyEndpoint(runtime, 'marked', at('kokoro'), { voices, markup: 'ssml' })
  })
  afterAll(() => server?.close())

  const asked = async (slug: string, text: string, voice: string): Promise<string[]> => {
    server.calls.length = 0
    const id = await submitText(service.url, key, slug, text, voice)
    expect(await finishedJob(service.url, key, id)).toMatchObject({ status: 'completed' })
    return server.calls.map(({ body }) => String(body.input))
  }
  const teach = async (...entries: object[]) => {
    const library = (await service.createKey(account, ['voice:library'])).apiKey
    const { status } = await call(`${service.url}/api/v1/lexicon`, { method: 'PUT', key: library, body: { entries } })
    expect(status).toBe(200)
  }
  const MEETING = 'We meet on 5/6/2026 at 9:30PM, and all 105 of us pay $1.50.'

  test.each([
    ['words', 'calm', MEETING, 4],
    ['words', 'emma', MEETING, 4],
    ['words', 'ernst', 'Am 3. Mai kommen 5 km dazu.', 2],
    ['words', 'ernst', '1,5', 1],
    ['words', 'calm', MEETING.replace('pay', 'pa\u0301y'), 4],
    ['raw', 'calm', MEETING, 0],
    ['own-words', 'calm', MEETING, 0],
  ])('%s by %s: %s', async (slug, voice, text, parts) => {
    const found = await readingOf(text, { slug, voice })
    expect([found.spoken]).toEqual(await asked(slug, text, voice))
    expect(found.tokens).toHaveLength(parts)
  })

  test('with its pauses and its SSML', async () => {
    for (const [slug, text] of [
      ['pauses', 'I paid $5 [pause:1s] on 5/6/2026.'],
      [
        'marked',
        '<speak><s>I ran 5 km.</s><s>On <sub alias="the fourth">7/4</sub>.</s><s xml:lang="de">Am 3. Mai.</s></speak>',
      ],
    ] as const) {
      const found = await readingOf(text, { slug, voice: 'calm' })
      const spoken = (await asked(slug, text, 'calm')).map((part) => part.trim())
      expect(spoken.length).toBeGreaterThan(1)
      expect(spoken.toSorted((one, other) => found.spoken.indexOf(one) - found.spoken.indexOf(other)).join(' ')).toBe(
        found.spoken.trim().replace(/ +/g, ' '),
      )
      expect(
        parts(text, found)
          .map(([, , words]) => words)
          .every((words) => found.spoken.includes(words)),
      ).toBe(true)
    }
  })

  test('with the entries of the account, which come first, also where its engine reads by itself', async () => {
    const text = 'He paid $1.50 for 5 km.'
    await teach({ grapheme: '$1.50', alias: '1 buck fifty' }, { language: 'German', grapheme: 'km', alias: 'Kilo' })
    const found = await readingOf(text, { slug: 'words' })
    expect(parts(text, found)).toEqual([
      ['$1.50', 'lexicon', '1 buck fifty'],
      ['5 km', 'measure', 'five kilometers'],
    ])
    expect([found.spoken]).toEqual(await asked('words', text, 'calm'))
    const raw = await readingOf(text, { slug: 'raw' })
    expect([raw.spoken, parts(text, raw)]).toEqual([
      'He paid 1 buck fifty for 5 km.',
      [['$1.50', 'lexicon', '1 buck fifty']],
    ])
    expect([raw.spoken]).toEqual(await asked('raw', text, 'calm'))
    expect((await readingOf(text)).spoken).toBe('He paid one dollar fifty cents for five kilometers.')
    expect(await sonantHere<Reading>(env, 'read', text, '--endpoint', 'words', '--account', account)).toEqual(found)
    await teach()
  })

  test('and what no job of it is accepted for is refused', async () => {
    const refusedFor = async (variables: object) => {
      const answer = await ask(service.url, key, QUERY, variables)
      return [codeOf(answer), detailsOf(answer)?.map(({ path }) => path)]
    }
    expect([
      await refusedFor({ text: 'Hi.', slug: 'words', voice: 'nobody' }),
      await refusedFor({ text: 'Wait [pause:99s] here.', slug: 'pauses' }),
      await refusedFor({ text: 'שלום לכולם', slug: 'ernst' }),
    ]).toEqual([
      ['INVALID_REQUEST', ['/voice']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text']],
    ])
    await teach({ grapheme: 'b', alias: 'x'.repeat(200) })
    expect(await refusedFor({ text: 'b '.repeat(200), slug: 'words' })).toEqual(['INVALID_REQUEST', ['/text']])
    await teach()
  })
})

describe('sonant read', () => {
  test('prints the spoken words, as JSON what GraphQL answers', async () => {
    const text = 'Dr. Lee ran 5 km.'
    const { code, stdout } = await runHere(['read', text, '--language', 'English'], env)
    expect([code, stdout]).toEqual([0, 'Doctor Lee ran five kilometers.\n'])
    expect(await sonantHere<Reading>(env, 'read', text, '--endpoint', 'tts')).toEqual(
      await readingOf(text, { slug: 'tts' }),
    )
  })

  test('says which of its options is wrong', async () => {
    const { code, stderr } = await runHere(['read', 'Hi.', '--language', 'Klingon'], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('--language: must be one of auto, Chinese')])
    expect((await runHere(['read', 'Hi.', '--endpoint', 'nowhere'], env)).code).toBe(1)
  })
})
