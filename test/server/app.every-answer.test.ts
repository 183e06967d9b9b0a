import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../setup/http.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { type Door, startDoor } from '../setup/service/start-rest.ts'

let door: Door
let key: string
let jobId: string
let media: string
beforeAll(async () => {
  door = await startDoor()
  const account = await door.createAccount()
  key = await door.createKeyOf(account, ['job:read', 'generate:voice'])
  jobId = await insertJob(door.runtime.db, account)
  const { storage } = door.runtime
  await storage.put('job_a/a.wav', Buffer.from('audio'), { contentType: 'audio/wav' })
  media = await storage.signUrl('job_a/a.wav', { contentType: 'audio/wav', now: new Date() })
})
afterAll(() => door?.close())

const QUERY = '/graphql?query={catalog{endpoints{slug}}}'
type Headers = Record<string, string>
const READ: [path: string, headers?: Headers][] = [
  ['/health/live'],
  ['/health/ready'],
  ['/api/v1/public/voice'],
  ['/api/v1/public/voice/tts'],
  ['/api/v1/public/voice/none'],
  ['/api/v1/openapi.json'],
  ['/api/v1/voice/tts/voices'],
  ['/api/v1/voice/tts/schema'],
  ['/api/v1/voice/jobs/JOB'],
  ['/api/v1/voice/jobs/none'],
  ['/api/v1/jobs'],
  ['/api/v1/jobs?limit=none'],
  ['/api/v1/jobs/JOB'],
  ['/api/v1/jobs/export?from=2026-01-01&to=2026-01-02'],
  ['/docs', { accept: 'text/html' }],
  ['/graphql', { accept: 'text/html' }],
  ['/', { accept: 'text/html' }],
  ['/console', { accept: 'text/html' }],
  [QUERY],
  ['/graphql?query={', { accept: 'application/graphql-response+json' }],
  ['/favicon.ico'],
  ['/media/none'],
  ['MEDIA'],
  ['/nothing'],
]

const ask = (method: string, path: string, headers: Headers = {}): Promise<Reply> =>
  call(path === 'MEDIA' ? media : door.url + path.replace('JOB', jobId), { method, key, headers })

/** The headers about the body, without time and connection. */
const described = ({ status, headers }: Reply) => [
  status,
  Object.entries(headers)
    .filter(([name]) => !/^(date|x-request-id|connection|keep-alive|transfer-encoding|ratelimit)$/.test(name))
    // Until a signed URL expires: a second less may be left for the second request.
    .map(([name, value]) => [name, name === 'cache-control' ? value.replace(/(?<=max-age=8)\d\d/, '') : value]),
]

describe('an answer', () => {
  test.for(READ)('to HEAD %s is the one to GET, without its body', async ([path, headers]) => {
    const [get, head] = [await ask('GET', path, headers), await ask('HEAD', path, headers)]
    expect(described(head)).toEqual(described(get))
    expect([head.bytes.length, get.bytes.length > 0]).toEqual([0, true])
  })

  test.for<[method: string, path: string, headers?: Headers]>([
    ...READ.map(([path, headers]): [string, string, Headers?] => ['GET', path, headers]),
    ['OPTIONS', '/api/v1/public/voice'],
    ['POST', '/api/v1/voice/tts'],
    ['POST', '/graphql'],
    ['DELETE', '/health/live'],
    ['GET', '/docs/'],
    ...['/%ff', '/api/v1/jobs/%zz', '/media/%ff', '/v1/models/%zz'].map((path): [string, string] => ['GET', path]),
  ])('to %s %s forbids guessing its type and telling where one was', async ([method, path, headers]) => {
    const reply = await ask(method, path, headers)
    expect(reply.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' })
  })

  test.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['an expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ])('to %s does so, too', async (_what, bytes) => {
    expect(await door.raw(bytes)).toMatch(/x-content-type-options: nosniff\r\n/i)
    expect(await door.raw(bytes)).toMatch(/referrer-policy: same-origin\r\n/i)
  })
})

describe('the Host header', () => {
  const hosts = (...values: string[]) => values.map((value) => `host:${value}\r\n`).join('')

  test.each([
    ['twice', hosts('a', 'b')],
    ['twice the same', hosts('a', 'a')],
    ['empty', hosts('')],
    ['with a space', hosts('a b')],
    ['with a path', hosts('a/b')],
    ['with a user', hosts('me@a')],
    ['with a list', hosts('a, b')],
    ['with a port that is none', hosts('a:b')],
    ['with a port that is too high', hosts('a:65536')],
    ['with two ports', hosts('a:1:2')],
    ['with half an address', hosts('[::1')],
    ['with no address in brackets', hosts('[::::::]')],
    ['with a port in brackets', hosts('[1:2]')],
  ])('%s is 400 in the shape of every other error', async (_what, lines) => {
    for (const target of ['/health/live', '/graphql', '/nothing', '/api/v1/public/voice']) {
      const answer = await door.raw(`GET ${target} HTTP/1.1\r\n${lines}\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
      const body = JSON.parse(answer.split('\r\n\r\n')[1]!)
      expect(body).toMatchObject({ error: expect.stringMatching(/Host header/), error_code: 'INVALID_REQUEST' })
    }
  })

  test.each([
    'a',
    'a:',
    '[::1]:',
    'voice.example.com:8443',
    '127.0.0.1:4000',
    '[::1]:4000',
    'my_host',
    'xn--bcher-kva.example.',
  ])('%s is fine', async (host) => {
    expect(await door.raw(`GET /health/live HTTP/1.1\r\n${hosts(host)}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })
})
