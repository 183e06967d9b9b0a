import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/context/config.ts'
import { ConfigError } from '../../src/context/config-error.ts'
import { createUser } from '../../src/users/create-user.ts'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { codeOf, type GraphqlAnswer } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../setup/service/subscriber.ts'

const DASHBOARD = 'https://dash.example.org'
const OTHER = 'https://evil.example'
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,x-own' }
const SIGN_IN = 'mutation ($email: String!) { signIn(email: $email, password: "correct horse battery") { __typename } }'

let service: TestRuntime
let open: TestRuntime
let key: string
let openKey: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { CORS_ORIGINS: `${DASHBOARD}, http://localhost:5173` } })
  open = await startTestRuntime({ env: { CORS_ORIGINS: '*' } })
  key = (await service.createCaller()).key
  openKey = (await open.createCaller()).key
})
afterAll(async () => {
  await open?.close()
  await service?.close()
})

const preflight = (path: string, origin: string, to = service) =>
  call(`${to.url}${path}`, { method: 'OPTIONS', headers: { origin, ...PREFLIGHT } })
const withoutTimes = ({
  status,
  headers: { date: _date, 'x-request-id': _id, ...headers },
  text,
}: Awaited<ReturnType<typeof call>>) => ({ status, headers, text })

describe('a page of an origin of CORS_ORIGINS', () => {
  test.each(['/graphql', '/api/v1/jobs', '/api/v1/voice/tts', '/api/v1/public/voice'])(
    'may call %s with a key',
    async (path) => {
      const asked = await preflight(path, DASHBOARD)
      expect(asked.status).toBe(204)
      expect(asked.headers).toMatchObject({
        'access-control-allow-origin': DASHBOARD,
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': 'authorization,x-own',
        vary: 'Origin',
      })
      expect(asked.headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )

  test('reads answers and errors, with the headers that tell what to do', async () => {
    for (const [path, bearer, status] of [
      ['/api/v1/jobs', key, 200],
      ['/api/v1/jobs', 'wrong', 401],
      ['/nothing', key, 404],
      ['/%ff', key, 400],
    ] as const) {
      const { headers, ...reply } = await call(`${service.url}${path}`, { key: bearer, headers: { origin: DASHBOARD } })
      expect([reply.status, headers['access-control-allow-origin'], headers.vary]).toEqual([
        status,
        DASHBOARD,
        'Origin',
      ])
      for (const name of [
        'x-request-id',
        'retry-after',
        'ratelimit',
        'location',
        'etag',
        'idempotency-replayed',
        'content-disposition',
        'x-sonant-time',
      ]) {
        expect(headers['access-control-expose-headers']).toContain(name)
      }
    }
    const csv = `${service.url}/api/v1/jobs/export?from=2026-01-01&to=2026-01-02`
    expect((await call(csv, { key, headers: { origin: DASHBOARD } })).headers.vary).toBe('accept-encoding, Origin')
  })

  test.each([
    '/media/job_x/1/audio.wav',
    '/media/audio/job_x.mp3',
    '/media/captions/job_x.vtt',
    '/media/live/job_x.mp3',
  ])('reads what is wrong with %s, and when to ask again, as a page of any other origin does', async (path) => {
    for (const origin of [DASHBOARD, OTHER]) {
      const { status, headers } = await call(service.url + path, { headers: { origin } })
      expect([status, headers['access-control-allow-origin']]).toEqual([403, '*'])
      for (const name of ['retry-after', 'x-request-id', 'content-range', 'etag'])
        expect(headers['access-control-expose-headers']).toContain(name)
    }
  })

  test('follows events and sockets with a key', async () => {
    const QUERY = 'subscription { jobsUpdated { id } }'
    const answer = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        origin: DASHBOARD,
        accept: 'text/event-stream',
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: QUERY }),
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, DASHBOARD])
    await answer.body?.cancel()
    for (const client of [
      openSocketClient(service.url, key, { origin: DASHBOARD }),
      openEventClient(service.url, key, { origin: DASHBOARD }),
    ]) {
      const heard = client.subscribe('{ __typename }')
      await heard.ended()
      expect(heard.data).toEqual([{ __typename: 'Query' }])
      await client.dispose()
    }
  })

  test('uses no session, and starts none', async () => {
    const account = await service.createAccount()
    const email = 'ada@example.org'
    await createUser(service.runtime.as({ kind: 'system' }), {
      account,
      email,
      password: 'correct horse battery',
      role: 'owner',
    })
    const ask = (headers: Record<string, string>, query: string) =>
      call(`${service.url}/graphql`, { method: 'POST', headers, body: { query, variables: { email } } })
    const own = await ask({ origin: service.url }, SIGN_IN)
    const cookie = own.headers['set-cookie']!.split(';')[0]!
    expect(
      (await ask({ cookie, origin: service.url }, '{ me { accountId } }')).json<GraphqlAnswer<unknown>>().data,
    ).toEqual({ me: { accountId: account } })
    for (const origin of [DASHBOARD, OTHER]) {
      const sent = [ask({ cookie, origin }, '{ me { accountId } }'), ask({ origin }, SIGN_IN)]
      for (const reply of await Promise.all(sent)) {
        expect(codeOf(reply.json<GraphqlAnswer<unknown>>())).toBe('FORBIDDEN')
        expect(reply.headers).not.toHaveProperty('set-cookie')
      }
      const read = await call(`${service.url}/graphql?query={me{accountId}}`, { headers: { cookie, origin } })
      expect(codeOf(read.json<GraphqlAnswer<unknown>>())).toBe('FORBIDDEN')
    }
  })

  test('learns nothing of restricted endpoints from a preflight', async () => {
    await applyEndpoint(service.runtime, 'studio', {}, { required_scope: 'voice:studio' })
    const [restricted, missing] = [
      await preflight('/api/v1/voice/studio', DASHBOARD),
      await preflight('/api/v1/voice/missing', DASHBOARD),
    ]
    expect(withoutTimes(restricted)).toEqual(withoutTimes(missing))
  })
})

test('a page of another origin may read what is public, and nothing else', async () => {
  expect((await preflight('/graphql', OTHER)).headers).not.toHaveProperty('access-control-allow-origin')
  const jobs = await call(`${service.url}/api/v1/jobs`, { key, headers: { origin: OTHER } })
  expect(jobs.headers).not.toHaveProperty('access-control-allow-origin')
  expect(jobs.headers.vary).toBe('Origin')
  const catalog = await call(`${service.url}/api/v1/public/voice`, { headers: { origin: OTHER } })
  expect(catalog.headers['access-control-allow-origin']).toBe('*')
})

test.each([OTHER, 'null', 'file://', `${DASHBOARD}.example.net`])(
  'a page of %s opens no WebSocket with a key',
  async (origin) => {
    const client = openSocketClient(service.url, key, { origin })
    const heard = client.subscribe('{ __typename }')
    expect(await client.closed()).toBe(4403)
    expect(heard.data).toEqual([])
    await client.dispose()
  },
)

test('the service itself and programs that send no Origin open WebSockets with a key, and any page where * is set', async () => {
  for (const [url, headers] of [
    [service.url, { origin: service.url }],
    [service.url, {}],
    [open.url, { origin: OTHER }],
  ] as const) {
    const client = openSocketClient(url, url === open.url ? openKey : key, headers)
    const heard = client.subscribe('{ __typename }')
    await heard.ended()
    expect(heard.data).toEqual([{ __typename: 'Query' }])
    await client.dispose()
  }
})

test('* lets every origin in with a key, and still without a session', async () => {
  expect((await preflight('/graphql', OTHER, open)).headers['access-control-allow-origin']).toBe('*')
  const reply = await call(`${open.url}/graphql`, {
    method: 'POST',
    headers: { origin: OTHER, cookie: `sonant_session_${new URL(open.url).port}=a` },
    body: { query: '{ me { accountId } }' },
  })
  expect([reply.headers['access-control-allow-origin'], codeOf(reply.json<GraphqlAnswer<unknown>>())]).toEqual([
    '*',
    'FORBIDDEN',
  ])
  expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
})

test.each([
  'app.example.org',
  'https://app.example.org/',
  'https://app.example.org/path',
  '*, https://app.example.org',
  'https://*.example.org',
])('CORS_ORIGINS=%s is refused in one clear line', (text) => {
  const read = () => readSettings({ CORS_ORIGINS: text })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(/^CORS_ORIGINS must be (a comma-separated list of origins such as|either \* or a list)/)
})
