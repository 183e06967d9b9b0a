import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { ask, codeOf, type GraphqlAnswer, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const QUERY = `query ($text: String!, $language: String, $slug: String) {
  reading(text: $text, language: $language, slug: $slug) { spoken language tokens { start length kind spoken } }
}`

const VOICE = { slug: 'ernst', name: 'Ernst', description: 'A voice.', kind: 'preset' }

interface Reading {
  readonly spoken: string
  readonly language: string
  readonly tokens: readonly { start: number; length: number; kind: string; spoken: string }[]
}

let service: TestRuntime
let key: string
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime()
  key = (await service.createCaller()).key
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

  test('counts in the text as it was sent, also if its letters are decomposed', async () => {
    const text = 'Café at 5 km'.normalize('NFD')
    const found = await readingOf(text, { language: 'English' })
    expect(found.spoken).toBe('Café at five kilometers')
    expect(parts(text, found)).toEqual([['5 km', 'measure', 'five kilometers']])
  })

  test('refuses what no endpoint speaks: another language, white space, a text that is too long', async () => {
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
    ]).toEqual([
      ['INVALID_REQUEST', ['/language']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text']],
      ['INVALID_REQUEST', ['/text', '/language']],
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
