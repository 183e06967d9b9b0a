import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allFinished, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { listening } from '../../setup/servers/listening.ts'
import { type Page, type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { ask, codeOf, errorOf, mutation, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { usersOf } from '../../setup/service/users.ts'

const KEY = 'sk-of-kokoro-1234567890'
const PROPOSAL =
  'server profile kindName isLoading models model voices { slug name engineVoice language } name slug source'
const PROPOSE = mutation(
  'proposeEngine(address: $address, apiKey: $apiKey, model: $model, voices: $voices, name: $name)',
  `... on EngineProposal { ${PROPOSAL} }`,
  '($address: String!, $apiKey: String, $model: String, $voices: [String!], $name: String)',
)
const HEAR = mutation(
  'hearEngine(slug: $slug, source: $source, voice: $voice, text: $text)',
  '... on HeardSpeech { text audio speechMs audioMs problem }',
  '($slug: String, $source: String, $voice: String, $text: String)',
)
const APPLY = mutation(
  'applyEndpoints(source: $source)',
  '... on ApplyEndpointsSuccess { slugs warnings }',
  '($source: String!)',
)
const KOKORO: Readonly<Record<string, Page>> = {
  '/v1/models': { json: { data: ['kokoro', 'tts-1'].map((id) => ({ id, owned_by: 'kokoro' })) } },
  '/v1/audio/voices': { json: { voices: ['af_heart', 'bm_george', 'ef_dora', 'pf_dora'] } },
}
const HTML: Page = { body: '<!doctype html><title>Welcome</title>', headers: { 'content-type': 'text/html' } }

interface Proposal {
  readonly voices: readonly object[]
  readonly slug: string
  readonly source: string | null
}

let service: TestRuntime
let server: SpeechServer
let operator: string
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  server = await startSpeechServer()
  const account = await service.createAccount()
  operator = (await service.createKey(account, ['operator'])).apiKey
  key = (await service.createKey(account)).apiKey
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const keyed = () =>
  server.show(KOKORO, ({ authorization }) =>
    authorization === `Bearer ${KEY}` ? undefined : { status: 401, json: { error: { message: 'Incorrect key.' } } },
  )
const propose = async (input: object) =>
  (await read<{ proposeEngine: Proposal }>(service.url, operator, PROPOSE, { address: server.url, ...input }))
    .proposeEngine
const refused = async (input: object) =>
  errorOf(await ask(service.url, operator, PROPOSE, { address: server.url, ...input }))
const hear = async (input: object) =>
  (await read<{ hearEngine: Record<string, unknown> }>(service.url, operator, HEAR, input)).hearEngine

describe('proposeEngine', () => {
  test('finds kind, models and voices, and its file is heard, applied and spoken with; the key is encrypted', async () => {
    keyed()
    const { source, ...found } = await propose({ apiKey: ` ${KEY} ` })
    expect(found).toMatchObject({
      ...{ server: server.url, profile: 'kokoro', kindName: 'Kokoro-FastAPI', isLoading: false },
      ...{ models: ['kokoro', 'tts-1'], model: 'kokoro', name: 'Kokoro', slug: 'kokoro' },
      voices: [
        { slug: 'af_heart', name: 'Heart', engineVoice: 'af_heart', language: 'English' },
        { slug: 'bm_george', name: 'George', engineVoice: 'bm_george', language: 'English' },
        { slug: 'ef_dora', name: 'Dora (Spanish)', engineVoice: 'ef_dora', language: 'Spanish' },
        { slug: 'pf_dora', name: 'Dora (Portuguese)', engineVoice: 'pf_dora', language: 'Portuguese' },
      ],
    })
    expect(source).not.toContain(KEY)
    const heard = await hear({ source, voice: 'ef_dora' })
    expect(heard).toMatchObject({ text: expect.stringContaining('Hola'), problem: null, audioMs: expect.any(Number) })
    expect(Buffer.from(String(heard.audio).replace('data:audio/mpeg;base64,', ''), 'base64').length).toBeGreaterThan(
      1000,
    )
    expect(server.calls.at(-1)?.body).toMatchObject({ voice: 'ef_dora', model: 'kokoro' })
    expect((await read<Record<string, object>>(service.url, operator, APPLY, { source })).applyEndpoints).toEqual({
      slugs: ['kokoro'],
      warnings: [],
    })
    const job = await submitText(service.url, key, 'kokoro', 'Now it speaks.', 'bm_george')
    await allFinished(service.runtime, [job])
    expect(await readJob(service.url, key, job)).toMatchObject({ status: 'completed' })
    expect(await hear({ slug: 'kokoro', text: 'A sentence of my own.' })).toMatchObject({ problem: null })
    expect(server.calls.at(-1)?.body.input).toBe('A sentence of my own.')
    const { rows } = await service.runtime.db.pool.query('select engine::text as engine from voice_endpoint')
    expect(JSON.stringify(rows)).not.toContain(KEY)
    expect((await propose({ apiKey: KEY })).slug).toBe('kokoro-2')
  })

  test('takes another model, name and choice of voices, of which the server need not list any', async () => {
    server.show({ '/v1/models': { json: { data: [{ id: 'one' }, { id: 'two' }] } } })
    expect(await propose({})).toMatchObject({ profile: 'generic', model: 'one', voices: [], source: null })
    const { source } = await propose({ model: 'two', name: 'Ünser Studio', voices: ['anna', 'Uncle_Fu'] })
    for (const line of ['slug: unser-studio', 'name: Ünser Studio', 'model: two', 'slug: uncle_fu', 'name: Uncle Fu'])
      expect(source).toContain(line)
    server.show(KOKORO)
    const some = await propose({ voices: ['pf_dora'] })
    expect([some.voices.length, some.source?.includes('pf_dora'), some.source?.includes('af_heart')]).toEqual([
      4,
      true,
      false,
    ])
  })

  test('has the command line ask, hear and apply, or print the file', async () => {
    server.show(KOKORO)
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir, LOG_LEVEL: 'error', SERVER_KEY: KEY }
    const add = (...options: string[]) =>
      sonantHere<Record<string, unknown>>(env, 'engines', 'add', server.url, '--api-key-env', 'SERVER_KEY', ...options)
    const { source } = await add('--dry-run', '--name', 'Typed', '--voices', 'af_heart, bm_george')
    expect(source).toMatch(/slug: typed\n[\s\S]*api_key_env: SERVER_KEY\n[\s\S]*af_heart/)
    expect(await add('--name', 'Typed')).toMatchObject({ kind: 'Kokoro-FastAPI', applied: ['typed'] })
    expect(server.calls.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  test('is for operators who gave their password, since it sends to any address', async () => {
    const { cookie } = await usersOf(service).user('owner')
    expect(codeOf(await usersOf(service).ask(PROPOSE, { address: server.url }, cookie))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, key, PROPOSE, { address: server.url }))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, key, HEAR, { slug: 'kokoro' }))).toBe('FORBIDDEN')
  })
})

describe('one sentence says what to do with a server that', () => {
  const saying = (path: string, words: RegExp) => ({
    ...{ code: 'INVALID_REQUEST', message: expect.stringMatching(words) },
    details: [expect.objectContaining({ path })],
  })

  test('wants a key, or another one', async () => {
    keyed()
    expect(await refused({})).toMatchObject(saying('apiKey', /^Enter the key of the server/))
    expect(await refused({ apiKey: 'sk-wrong' })).toMatchObject(saying('apiKey', /does not accept this one/))
    expect(await refused({ apiKey: 'two words' })).toMatchObject(saying('apiKey', /holds a space/))
  })

  test.each<[string, Page, RegExp]>([
    ['is a web page', HTML, /^A web page answers at/],
    [
      'sends on',
      { status: 308, headers: { location: 'http://127.0.0.1:9/v1/models' } },
      /sends on to http:\/\/127.0.0.1:9: give/,
    ],
    ['fails', { status: 502, body: '' }, /fails by itself \(502\)/],
    ['is something else', { json: { hello: 'world' } }, /does not look like a speech server/],
  ])('%s', async (_, page, words) => {
    server.show(Object.fromEntries(['/v1/models', '/openapi.json'].map((path) => [path, page])))
    expect(await refused({})).toMatchObject(saying('address', words))
  })

  test('is not there, or is no web server', async () => {
    expect(await refused({ address: '127.0.0.1:9' })).toMatchObject(
      saying('address', /^Nothing answers at 127.0.0.1:9: start/),
    )
    const mail = await listening(
      createServer((socket) => void socket.on('error', () => {}).end('220 mail ESMTP\r\n')),
      0,
    )
    expect(await refused({ address: mail.url })).toMatchObject(saying('address', /but it is no web server/))
    await mail.close()
  })

  test.each([
    ['', /^Enter the address/],
    ['ftp://gpu-1', /^Begin the address with http/],
    ['http://', /^Correct the address/],
    [`http://me:${KEY}@gpu-1`, /^Leave name and password out/],
  ])('has the address "%s"', async (address, words) => {
    expect(await refused({ address })).toMatchObject(saying('address', words))
  })

  test('does not speak the sentence', async () => {
    server.show(KOKORO)
    const { source } = await propose({})
    server.answer(() => ({ status: 401, json: { error: { message: `Incorrect key ${KEY}.` } } }))
    expect(await hear({ source })).toMatchObject({
      audio: null,
      problem: expect.stringContaining('does not accept the key'),
    })
    server.answer(() => ({ status: 400, json: { detail: 'No such voice' } }))
    expect(await hear({ source })).toMatchObject({ audio: null, problem: expect.stringContaining('No such voice') })
    server.answer(() => ({}))
  })
})

test('hearEngine takes an endpoint or a file, and a voice of it', async () => {
  const codes = await Promise.all(
    [{}, { slug: 'tts', source: 'x' }, { source: 'x' }, { slug: 'tts', voice: 'nobody' }, { slug: 'none' }].map(
      async (input) => errorOf(await ask(service.url, operator, HEAR, input))?.code,
    ),
  )
  expect(codes).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST', 'INVALID_REQUEST', 'INVALID_REQUEST', 'NOT_FOUND'])
  const long = errorOf(await ask(service.url, operator, HEAR, { slug: 'tts', text: 'a'.repeat(301) }))
  expect(long?.message).toContain('at most 300 characters')
})

test('hearEngine sends no setting of the service to a server that a file names', async () => {
  server.show(KOKORO)
  const { source } = await propose({})
  const naming = source!.replace(/( +)base_url: /, '$1api_key_env: DATABASE_URL\n$1base_url: ')
  const before = server.calls.length
  const problem = expect.stringContaining('DATABASE_URL, which is not set here, or is a setting of Sonant')
  expect(await hear({ source: naming })).toMatchObject({ audio: null, problem })
  expect(server.calls.length).toBe(before)
})
