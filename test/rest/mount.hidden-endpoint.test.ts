import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, endpointFile, startDoor } from '../setup/service/start-rest.ts'

let door: Door
let keys: Record<string, string>
beforeAll(async () => {
  door = await startDoor({ RATE_LIMIT_PER_MINUTE: '100000' })
  await door.apply(endpointFile('restricted', { required_scope: 'team:gold' }))
  await door.apply(endpointFile('unpublished', { published: false }))
  const [good, poor, scopeless] = await Promise.all([
    door.createKey(),
    door.createKey({ credits: 0n }),
    door.createKey({ scopes: ['job:read'] }),
  ])
  keys = { good, poor, scopeless, bad: 'snt_nonsense' }
})
afterAll(() => door.close())

const VOLATILE = /^(date|x-request-id|ratelimit|retry-after|keep-alive): .*\r\n/gim
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const BODIES: Record<string, string> = {
  none: '\r\n',
  'a good body': json('{"inputs":{"text":"hi","voice":"aria"}}'),
  'bad JSON': json('{"inputs'),
  'another content type': 'content-type: text/plain\r\ncontent-length: 2\r\n\r\nhi',
  'a huge body': 'content-type: application/json\r\ncontent-length: 2000000\r\n\r\n{',
  'a compressed body': 'content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}',
}

/** Methods that take no body get none, and one that is too long to be read. */
const TAKES_BODY = /^(POST|PUT|PATCH)$/
const bodiesOf = (method: string): [title: string, body: string][] =>
  Object.entries(BODIES).filter(([title]) => TAKES_BODY.test(method) || ['none', 'a huge body'].includes(title))

function json(body: string): string {
  return `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const ask = async (method: string, path: string, key: string, rest: string): Promise<string> => {
  const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n`
  return (await door.raw(head + rest)).replace(VOLATILE, '')
}

describe.each(['restricted', 'unpublished'])('an endpoint that is %s', (hidden) => {
  const paths = [
    '/api/v1/voice/SLUG',
    '/api/v1/voice/SLUG/voices',
    '/api/v1/voice/SLUG/schema',
    '/api/v1/public/voice/SLUG',
  ]

  it.each(METHODS)('answers %s with the bytes of a missing one, whatever is sent', async (method) => {
    for (const [name, key] of Object.entries(keys)) {
      for (const [title, body] of bodiesOf(method)) {
        for (const path of paths) {
          const found = await ask(method, path.replace('SLUG', hidden), key, body)
          const missing = await ask(method, path.replace('SLUG', 'm'.repeat(hidden.length)), key, body)
          expect(found, `${path}, ${name} key, ${title}`).toBe(missing)
          expect(found).toMatch(/^HTTP\/1\.1 (204|401|403|404|405) /)
        }
      }
    }
  })
})

describe('a restricted endpoint', () => {
  it('is there for a key with its scope', async () => {
    const key = await door.createKey({ scopes: ['generate:voice', 'team:gold'] })
    const response = await fetch(`${door.url}/api/v1/voice/restricted/voices`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(response.status).toBe(200)
  })
})
