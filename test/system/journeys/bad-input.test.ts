import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { creditsOf, makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, type Service, startService } from '../../setup/processes/process.ts'

const CREDITS = 50_000
const TEXT = 'A plain sentence.'
const CODES: Record<number, string> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'IDEMPOTENCY_MISMATCH',
}
const INTERNALS = /prisma|postgres|pg-boss|ajv|node_modules|\.ts\b|ECONN|stack|undefined|\[object/i

type Problem = { error: string; error_code: string; details?: { path: string; message: string }[] }

/** The documented pair and nothing more: one sentence, the status's code, details only on 400. */
const expectProblem = (reply: Reply, status: number): Problem => {
  expect(reply.status, reply.text).toBe(status)
  const problem = reply.json<Problem>()
  const { details = [], ...pair } = problem
  expect(pair).toEqual({ error: expect.stringMatching(/^\S.*\S$/s), error_code: CODES[status] })
  if (status !== 400) expect(problem).not.toHaveProperty('details')
  for (const detail of details) expect(detail).toEqual({ path: expect.any(String), message: expect.any(String) })
  expect(reply.text).not.toMatch(INTERNALS)
  expect(reply.headers['content-type']).toMatch(/^application\/json/)
  expect(reply.headers['x-request-id']).toMatch(/^\S+$/)
  return problem
}

describe('bad input', () => {
  let service: Service
  let key = ''
  let voice = ''

  const inputs = (changes: object = {}) => ({ inputs: { text: TEXT, voice, ...changes } })
  const post = (body: unknown, options: Call = {}, slug = 'tts') =>
    call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key, body, ...options })
  const createKey = async (account: string) => (await makeKey(service.env, account)).apiKey
  const credits = (account = 'careful') => creditsOf(service.env, account)

  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '0' } })
    await makeAccount(service.env, 'careful', CREDITS)
    key = await createKey('careful')
    const entry = await call(`${service.url}/api/v1/public/voice/tts`)
    voice = entry.json<{ voices: { slug: string }[] }>().voices[0]!.slug
  })
  afterAll(cleanUp)

  const raw = (text: string) =>
    Buffer.concat([Buffer.from('{"inputs":{"voice":"'), Buffer.from(voice), Buffer.from(`","text":${text}}}`)])
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  test.for<[string, () => unknown]>([
    ['an empty body', () => ''],
    ['cut-off JSON', () => '{"inputs": {"text": "a"'],
    ['JSON with a trailing comma', () => '{"inputs": {},}'],
    ['two JSON documents', () => '{} {}'],
    ['bare words', () => 'hello'],
    ['arrays nested 200,000 deep', () => nested(200_000)],
    ['inputs nested 100,000 deep', () => raw(nested(100_000))],
    ['objects nested 50,000 deep', () => `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from('{"inputs":{"text":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}}')]),
    ],
    [
      'invalid UTF-8 in a text that is otherwise right',
      () => Buffer.from(raw('"caf\u00e9"').toString('utf8'), 'latin1'),
    ],
    ['UTF-16', () => Buffer.from(`\ufeff${JSON.stringify(inputs())}`, 'utf16le')],
    ['a raw NUL byte', () => raw('"a\u0000b"')],
    ['an escaped NUL', () => raw('"a\\u0000b"')],
    ['a lone high surrogate', () => raw('"a\\ud800b"')],
    ['a lone low surrogate', () => raw('"\\udc00"')],
    ['surrogates in the wrong order', () => raw('"\\udc00\\ud800"')],
    ['a lone surrogate in a key', () => raw('"a","\\ud800":1')],
    ['a NUL in the voice', () => inputs({ voice: 'a\u0000' })],
    ['__proto__ at the top', () => `{"__proto__":{"inputs":{}},"inputs":${JSON.stringify(inputs().inputs)}}`],
    ['__proto__ in the inputs', () => raw('"a","__proto__":{"admin":true}')],
    ['constructor.prototype in the inputs', () => raw('"a","constructor":{"prototype":{"admin":true}}')],
    ['a body that is null', () => 'null'],
    ['a body that is an array', () => [inputs()]],
    ['a body that is a string', () => '"inputs"'],
    ['no inputs', () => ({})],
    ['inputs that are null', () => ({ inputs: null })],
    ['inputs that are an array', () => ({ inputs: [TEXT, voice] })],
    ['inputs that are a string', () => ({ inputs: TEXT })],
    ['no text', () => ({ inputs: { voice } })],
    ['no voice', () => ({ inputs: { text: TEXT } })],
    ['a text that is a number', () => inputs({ text: 5 })],
    ['a text that is a number out of range', () => raw('1e999')],
    ['a text that is null', () => inputs({ text: null })],
    ['a text that is an array', () => inputs({ text: [TEXT] })],
    ['an empty text', () => inputs({ text: '' })],
    ['a text of spaces', () => inputs({ text: ' \t\n\u00a0\u3000' })],
    ['a text of 10,001 characters', () => inputs({ text: 'a'.repeat(10_001) })],
    ['a text of 10,001 characters outside the basic plane', () => inputs({ text: '\u{1f600}'.repeat(10_001) })],
    ['an unknown voice', () => inputs({ voice: 'nobody' })],
    ['a voice named like a property of objects', () => inputs({ voice: 'constructor' })],
    ['a voice in the wrong case', () => inputs({ voice: voice.toUpperCase() })],
    ['an unknown language', () => inputs({ language: 'Klingon' })],
    ['a language in lower case', () => inputs({ language: 'english' })],
    ['a style that is a number', () => inputs({ style_instruction: 3 })],
    ['an unknown input', () => inputs({ speed: 2 })],
    ['an unknown top-level key', () => ({ ...inputs(), priority: 1 })],
    ['a webhook over http', () => ({ ...inputs(), webhook_url: 'http://example.com/' })],
    ['a webhook with a password', () => ({ ...inputs(), webhook_url: 'https://a:b@example.com/' })],
    ['a webhook to localhost', () => ({ ...inputs(), webhook_url: 'https://localhost/' })],
    ['a webhook to a private address', () => ({ ...inputs(), webhook_url: 'https://169.254.169.254/' })],
    ['a webhook to loopback in one number', () => ({ ...inputs(), webhook_url: 'https://2130706433/' })],
    ['a webhook of 2,049 characters', () => ({ ...inputs(), webhook_url: `https://example.com/${'a'.repeat(2_029)}` })],
    ['a webhook that is no URL', () => ({ ...inputs(), webhook_url: 'example' })],
    ['a webhook that is a number', () => ({ ...inputs(), webhook_url: 7 })],
  ])('%s is 400', async ([, body]) => {
    expectProblem(await post(body()), 400)
  })

  test('a 400 says where: the path of the voice, of the unknown input and of the missing text', async () => {
    const paths = async (body: unknown) => expectProblem(await post(body), 400).details?.map((detail) => detail.path)
    expect(await paths(inputs({ voice: 'nobody' }))).toContain('/inputs/voice')
    expect((await paths(inputs({ speed: 2 })))?.join()).toContain('/inputs')
    expect((await paths({ inputs: { voice } }))?.join()).toContain('/inputs')
  })

  test.for<[string, Record<string, string>]>([
    ['of 256 characters', { 'idempotency-key': 'k'.repeat(256) }],
    ['that is empty', { 'idempotency-key': '' }],
    ['with an unprintable character', { 'idempotency-key': 'a\tb' }],
  ])('an Idempotency-Key %s is 400', async ([, headers]) => {
    expectProblem(await post(inputs(), { headers }), 400)
  })

  test('a refused request does not use up its idempotency key', async () => {
    const headers = { 'idempotency-key': 'second-try' }
    expectProblem(await post(inputs({ voice: 'nobody' }), { headers }), 400)
    const before = await credits()
    const accepted = await post(inputs({ text: 'Ok.' }), { headers })
    expect(accepted.status).toBe(202)
    expect(accepted.headers['idempotency-replayed']).toBeUndefined()
    await finishedJob(service.url, key, accepted.json<{ job_id: string }>().job_id)
    expect(await credits()).toBe(before - 3)
  })

  test('a text of exactly 10,000 characters is accepted', async () => {
    expect((await post(inputs({ text: `a${' '.repeat(9_999)}` }), { key: service.key })).status).toBe(202)
  })

  test('an account without credits is 402, after its input was found right', async () => {
    await makeAccount(service.env, 'poor', 0)
    const poor = await createKey('poor')
    expectProblem(await post(inputs(), { key: poor }), 402)
    expectProblem(await post(inputs({ voice: 'nobody' }), { key: poor }), 400)
    expect(await credits('poor')).toBe(0)
  })

  test('after all of it only the one accepted job was recorded and charged, and the service still speaks', async () => {
    expect(await sonantHere(service.env, 'jobs', 'list', '--account', 'careful')).toMatchObject({ total: 1 })
    expect(await credits()).toBe(CREDITS - 3)
    const accepted = await post(inputs())
    const job = await finishedJob(service.url, key, accepted.json<{ job_id: string }>().job_id)
    expect(job.status).toBe('completed')
    expect(await credits()).toBe(CREDITS - 3 - TEXT.length)
    expect(service.runs()).toBe(true)
  })
})
