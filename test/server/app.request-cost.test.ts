import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createApiKey } from '../../src/api-keys/change-api-key.ts'
import { MAX_BODY_BYTES } from '../../src/http/json-body.ts'
import { call } from '../setup/http.ts'
import { bodyOf, leastCpu, leastTurn } from '../setup/load/abuses.ts'
import { type AskingThread, startAskingThread } from '../setup/load/asking-thread.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

/** The goals themselves, in processor time of the thread that serves: the client is in another one. */
const MAX_ANONYMOUS_MS = 5
const MAX_MS = 20
const HEADER_CHARACTERS = 15_000
/** As this service words it, and as OpenAI does. */
const REFUSED = /"error_code":"INVALID_REQUEST"|"type":"invalid_request_error"/
const BODY_CHARACTERS = 1_040_000

let service: TestRuntime
let client: AskingThread
let key: string
beforeAll(async () => {
  client = startAskingThread()
  service = await startTestRuntime()
  const { account } = await service.createCaller()
  const scopes = ['generate:voice', 'voice:library', 'companion:chat']
  key = (await createApiKey(service.runtime.as({ kind: 'system' }), { account, name: 'all', scopes })).apiKey
})
afterAll(() => Promise.all([client?.close(), service?.close()]))

const many = (count: number, one: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => one(index)).join(between)
const filled = (part: string) => part.repeat(BODY_CHARACTERS / part.length)
const members = (count: number) => many(count, (index) => `"${index.toString(36)}":0`, ',')
const unknownFields = (count: number) => `{ catalog { ${many(count, (index) => `x${index}`)} } }`

const askedAnonymously: readonly (readonly [string, string])[] = [
  ['violations behind 45,000 lines', bodyOf(`${'\n'.repeat(45_000)}${unknownFields(480)}`)],
  ['violations behind a comment of 90 KB', bodyOf(`#${'x'.repeat(90_000)}\n${unknownFields(480)}`)],
  [
    '480 long names that are nearly fields',
    bodyOf(`{ catalog { ${many(480, (i) => `catalogVersionendpoints${i}`)} } }`),
  ],
  ['a name of 100 KB', bodyOf(`{ ${'a'.repeat(100_000)} }`)],
  ['11,000 members of a variable', `{"query":"{ __typename }","variables":{"a":{${members(11_000)}}}}`],
  ['9,000 parameters', `{${members(9_000)}}`],
  ['34,000 empty lists', `{"query":"{ __typename }","variables":{"a":[${'[],'.repeat(34_000)}0]}}`],
  [
    '4,000 variables',
    bodyOf('query ($v: Int) { __typename }', Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`v${i}`, 1]))),
  ],
]

const SPEAK = '/api/v1/voice/tts'
const LEXICON = '/api/v1/lexicon'
const entries = (count: number, one: (index: number) => string) => `{"entries":[${many(count, one, ',')}]}`
const inputs = (rest: string) => `{"inputs":${rest}}`
const objects = (count: number) => `[${many(count, () => `{${members(990)}}`, ',')}]`

const MARKS = '\u0316\u0301\u0316\u0334'.repeat(24)
/** Bodies of at most a megabyte. */
const asked: readonly (readonly [what: string, path: string, status: number, body: string])[] = [
  ['95,000 unknown inputs', SPEAK, 400, inputs(`{"text":"a","voice":"aria",${members(95_000)}}`)],
  ['95,000 unknown keys', SPEAK, 400, `{${members(95_000)}}`],
  ['340,000 empty lists', SPEAK, 400, inputs(`{"text":[${filled('[],')}0]}`)],
  ['340,000 empty objects', SPEAK, 400, inputs(`{"text":[${filled('{},')}0]}`)],
  ['520,000 numbers', SPEAK, 400, inputs(`{"text":[${filled('0,')}0]}`)],
  ['20 objects of 990 keys, hashed', SPEAK, 400, inputs(`{"text":${objects(20)}}`)],
  ['19,000 short texts', SPEAK, 400, inputs(`{"text":[${many(19_000, () => `"${'x'.repeat(50)}"`, ',')}]}`)],
  ['990 unknown inputs', SPEAK, 400, inputs(`{${members(990)}}`)],
  ['50 keys of 20 KB', SPEAK, 400, inputs(`{${many(50, (i) => `"${'~/'.repeat(10_000)}${i}":0`, ',')}}`)],
  ['a text of a megabyte', SPEAK, 400, inputs(`{"text":"${'a'.repeat(BODY_CHARACTERS)}","voice":"aria"}`)],
  ['a megabyte of white space', SPEAK, 400, inputs(`{"text":"${' '.repeat(BODY_CHARACTERS)}","voice":"aria"}`)],
  ['a megabyte of emoji', SPEAK, 400, inputs(`{"text":"${'😀'.repeat(BODY_CHARACTERS / 4)}","voice":"aria"}`)],
  ['a depth of 170,000', SPEAK, 400, inputs(`${'{"a":'.repeat(170_000)}0${'}'.repeat(170_000)}`)],
  [
    '10,000 words',
    LEXICON,
    200,
    entries(10_000, (i) => `{"grapheme":"${i} ${'x'.repeat(25)}","alias":"${'y'.repeat(25)}"}`),
  ],
  ['10,000 wrong words', LEXICON, 400, entries(10_000, () => '{"grapheme":" ","alias":" "}')],
  ['a speech of a megabyte', '/v1/audio/speech', 400, `{"voice":"alloy","input":"${'a'.repeat(BODY_CHARACTERS)}"}`],
  ['a speech with 19,000 members', '/v1/audio/speech', 400, `{"voice":"none","input":"a","x":${objects(19)}}`],
  ['a chat of a megabyte', '/api/v1/companion/chat', 400, `{"message":"${'a'.repeat(BODY_CHARACTERS)}"}`],
]

describe('without a key, the event loop is hardly held by', () => {
  test.each(askedAnonymously)('%s', async (_title, body) => {
    const ask = await client.take({ url: `${service.url}/graphql`, options: { method: 'POST', body } })
    const { cpuMs } = await leastCpu(ask, MAX_ANONYMOUS_MS)
    expect(cpuMs).toBeLessThan(MAX_ANONYMOUS_MS)
  })

  test('a document of more than 16,384 characters, which needs a key', async () => {
    const body = bodyOf(`{ __typename } #${'x'.repeat(16_384)}`)
    const ask = (by?: string) =>
      call(`${service.url}/graphql`, { method: 'POST', body, ...(by !== undefined && { key: by }) })
    const [open, known] = [await ask(), await ask(key)]
    expect(open.status).toBe(400)
    expect(open.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_REQUEST' } }] })
    expect(known.json()).toEqual({ data: { __typename: 'Query' } })
  })

  test.each([
    ['a list 240 times', many(240, () => 'endpoints { slug }')],
    ['a list of lists 225 times', many(15, () => `endpoints { ${many(15, () => 'voices { slug }')} }`)],
  ])('%s, which graphql would compare 25,000 times: it needs a key', async (_what, fields) => {
    const body = bodyOf(`{ catalog { ${fields} } }`)
    const ask = (by?: string) =>
      call(`${service.url}/graphql`, { method: 'POST', body, ...(by !== undefined && { key: by }) })
    const [open, known] = [await ask(), await ask(key)]
    expect(known.json<{ errors?: unknown }>().errors).toBeUndefined()
    expect(open.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_REQUEST' } }] })
  })

  test.each([
    ['45,000 nested lists', `{"a":${'['.repeat(45_000)}${']'.repeat(45_000)}}`],
    ['an authorization of 100 KB', JSON.stringify({ authorization: `Bearer ${'x'.repeat(100_000)}` })],
  ])('a connection_init of %s: it is not read', async (_what, payload) => {
    const parse = vi.spyOn(JSON, 'parse')
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send(`{"type":"connection_init","payload":${payload}}`)
    const [code] = await once(socket, 'close')
    expect(code).toBe(4400)
    expect(parse.mock.calls.some(([text]) => String(text).includes('connection_init'))).toBe(false)
    parse.mockRestore()
  })

  test.each([
    ['/graphql?query={__typename}', 'Accept', ','],
    ['/graphql?query={__typename}', 'Accept', '*/*;q=0,'],
    ['/graphql?query={__typename}', 'Cookie', ';'],
    ['/api/v1/public/voice', 'If-None-Match', '"",'],
    ['/api/v1/jobs', 'Authorization', 'Bearer '],
    ['/health/live', 'X-Forwarded-For', '1.1.1.1,'],
  ])('%s with 15 KB of %s: %s', async (path, name, part) => {
    const value = part.repeat(HEADER_CHARACTERS / part.length)
    const bytes = `GET ${path} HTTP/1.1\r\nHost: a\r\n${name}: ${value}\r\n\r\n`
    const { result, cpuMs } = await leastCpu(
      await client.take({ port: Number(new URL(service.url).port), bytes }),
      MAX_ANONYMOUS_MS,
    )
    expect(result.text).toMatch(/^HTTP\/1\.1 [234]/)
    expect(cpuMs).toBeLessThan(MAX_ANONYMOUS_MS)
  })
})

describe('with a key, the event loop is not held for long by', () => {
  test.each(asked)('%s, to %s', async (_what, path, status, body) => {
    expect(body.length).toBeLessThanOrEqual(MAX_BODY_BYTES)
    // The key's hash is taken of the whole request.
    const headers = { 'idempotency-key': 'hashed' }
    const method = path === LEXICON ? 'PUT' : 'POST'
    const ask = await client.take({ url: service.url + path, options: { method, key, headers, body } })
    const { result, cpuMs } = await leastCpu(ask, MAX_MS)
    expect(result).toEqual({ status, text: status === 200 ? expect.any(String) : expect.stringMatching(REFUSED) })
    expect(cpuMs).toBeLessThan(MAX_MS)
  })
  test('4,200 words of marks, which normalization sorts: no turn of it is long', async () => {
    const body = entries(4_200, (i) => `{"grapheme":"${i}${MARKS}","alias":"x"}`)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES)
    const ask = await client.take({ url: service.url + LEXICON, options: { method: 'PUT', key, body } })
    const { result, turnMs } = await leastTurn(ask, MAX_MS)
    expect(result.status).toBe(200)
    expect(turnMs).toBeLessThan(MAX_MS)
  })
})
