import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, startDoor } from '../setup/service/start-rest.ts'

let door: Door
let key: string
beforeAll(async () => {
  door = await startDoor({ RATE_LIMIT_PER_MINUTE: '50' })
  key = await door.createKey()
})
afterAll(() => door.close())

/** The pair that every error is, with its status and a request id. */
function errorOf(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^x-request-id: [A-Za-z0-9._-]+$/im)
  expect(head).toMatch(/^content-type: application\/json/im)
  const { error, error_code, ...rest } = JSON.parse(body)
  expect(typeof error).toBe('string')
  expect(rest).toEqual({})
  return [Number(head.split(' ')[1]), error_code]
}

const line = (target: string, headers = 'host: x\r\n') => `GET ${target} HTTP/1.1\r\n${headers}\r\n`

describe('what is not good HTTP', () => {
  it.each<[string, string, number]>([
    ['noise', 'hello\r\n\r\n', 400],
    ['a header without a name', line('/health/live', 'host: x\r\n: y\r\n'), 400],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
    ['a bad chunk', 'POST /api HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 404],
    ['no Host', line('/health/live', ''), 400],
    ['another expectation', line('/health/live', 'host: x\r\nexpect: miracles\r\n'), 400],
    ['headers of 20 KB', line('/health/live', `host: x\r\nx: ${'a'.repeat(20_000)}\r\n`), 400],
    ['an address of 20 KB', line(`/${'a'.repeat(20_000)}`), 400],
    ['an address of 10 KB', line(`/api/v1/public/voice/${'a'.repeat(10_000)}`), 404],
    ['a malformed percent-encoding', line('/api/v1/public/voice/%zz'), 400],
    ['percent-encoded bytes that are not UTF-8', line('/api/v1/public/voice/%ff'), 400],
    ['a malformed percent-encoding nowhere', line('/nowhere/%'), 400],
    ['two slashes', line('//'), 404],
    ['two slashes within', line('/api/v1//public/voice'), 404],
    ['a trailing slash', line('/api/v1/public/voice/'), 404],
    ['an encoded slash', line('/api/v1/public/voice/a%2fb'), 404],
    ['NUL', line('/api/v1/public/voice/%00'), 404],
    ['dots', line('/docs/static/../../package.json'), 404],
    ['encoded dots', line('/docs/static/%2e%2e/%2e%2e/package.json'), 404],
    ['a star', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 404],
  ])('answers %s in the shape of every error', async (_title, bytes, status) => {
    const code = status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST'
    expect(errorOf(await door.raw(bytes))).toEqual([status, code])
  })

  it('serves a percent-encoded address like the plain one', async () => {
    expect(await door.raw(line('/api/v1/p%75blic/voice/%74ts'))).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('a connection', () => {
  it('lives on after a refused body', async () => {
    const agent = new Agent({ connections: 1 })
    let connections = 0
    agent.on('connect', () => connections++)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    for (const [body, status] of [
      ['a'.repeat(2_000_000), 413],
      ['{', 400],
      ['{"inputs":1}', 400],
    ] as const) {
      const response = await request(`${door.url}/api/v1/voice/tts`, {
        dispatcher: agent,
        method: 'POST',
        headers,
        body,
      })
      await response.body.dump()
      expect(response.statusCode).toBe(status)
    }
    await agent.close()
    expect(connections).toBe(1)
  })
})

describe('a repeated Idempotency-Key', () => {
  it('is refused', async () => {
    const head = `POST /api/v1/voice/tts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`
    const answer = await door.raw(
      `${head}content-type: application/json\r\nidempotency-key: a\r\nidempotency-key: b\r\ncontent-length: 2\r\n\r\n{}`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain('"path":"Idempotency-Key"')
  })
})

describe('the rate limit', () => {
  it('counts each key for itself, tells what is left, and refuses before anything else', async () => {
    const own = await door.createKey({ scopes: ['job:read'] })
    const ask = () => fetch(`${door.url}/api/v1/voice/nothing/voices`, { headers: { authorization: `Bearer ${own}` } })
    const first = await ask()
    expect(first.status).toBe(403)
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=50;w=60')
    expect(first.headers.get('ratelimit')).toBe('"default";r=49;t=60')
    const rest = await Promise.all(Array.from({ length: 50 }, ask))
    const refused = rest.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    expect(refused[0]?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
    expect(await refused[0]?.json()).toMatchObject({ error_code: 'RATE_LIMITED' })
  })

  it('says nothing on public paths', async () => {
    const response = await fetch(`${door.url}/api/v1/public/voice`, { headers: { authorization: `Bearer ${key}` } })
    expect(response.headers.has('ratelimit')).toBe(false)
  })
})

describe('health', () => {
  it('is live and ready', async () => {
    for (const path of ['/health/live', '/health/ready']) expect((await fetch(door.url + path)).status).toBe(200)
  })
})
