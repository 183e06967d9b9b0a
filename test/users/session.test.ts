import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UserRole } from '../../src/access/scopes.ts'
import { createUser } from '../../src/users/create-user.ts'
import { forgetSessions } from '../../src/users/sessions.ts'
import { call } from '../setup/http.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../setup/service/subscriber.ts'
import { until } from '../setup/wait.ts'

const PASSWORD = 'correct horse battery'
const SIGN_IN =
  'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { ... on User { id email role } ... on RequestError { code } } }'
const SIGN_OUT = 'mutation { signOut { ... on SignOutSuccess { sessions } } }'
const ME = '{ me { user { email role } accountId credits } }'
const HASH = `sha256(convert_to($1::text || n, 'UTF8'))`
/** For longer than any row is kept. */
const EXPIRED = `now() - interval '30 hours'`
const JOBS = 'subscription { jobsUpdated { id } }'

let service: TestRuntime
let tls: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
  tls = await startTestRuntime({
    env: { PUBLIC_URL: 'https://voice.example.org', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' },
  })
  // The test's server listens on http; the addresses that callers get stay https.
  tls.runtime.publicUrl = 'https://voice.example.org'
})
afterAll(async () => {
  await tls?.close()
  await service?.close()
})

interface Answer {
  data: Record<string, unknown> | null
  errors?: { message: string; extensions: { code: string } }[]
}
interface Question {
  query: string
  variables?: object
  cookie?: string | undefined
  headers?: Record<string, string>
}

async function ask({ query, variables = {}, cookie, headers = {} }: Question, to = service) {
  const sent = { origin: to.url, ...(cookie !== undefined && { cookie }), ...headers }
  const reply = await call(`${to.url}/graphql`, { method: 'POST', headers: sent, body: { query, variables } })
  return { ...reply.json<Answer>(), reply }
}
const codeOf = ({ errors }: Answer) => errors?.[0]?.extensions.code

let users = 0
async function user(role: UserRole = 'owner', to = service) {
  const account = await to.createAccount()
  const email = `Ada.${++users}@Example.org`
  const user = await createUser(to.runtime.as({ kind: 'system' }), { account, email, password: PASSWORD, role })
  return { account, email, id: user.id }
}

async function signedIn(role: UserRole = 'owner') {
  const one = await user(role)
  return { ...one, cookie: await cookieOf(one.email) }
}

async function cookieOf(email: string): Promise<string> {
  const { reply } = await ask({ query: SIGN_IN, variables: { email, password: PASSWORD } })
  return reply.headers['set-cookie']!.split(';')[0]!
}

describe('signIn', () => {
  test('sets a cookie that scripts cannot read, and me names the user', async () => {
    const { account, email } = await user()
    const { reply, data } = await ask({ query: SIGN_IN, variables: { email: email.toUpperCase(), password: PASSWORD } })
    expect(data).toMatchObject({ signIn: { email: email.toLowerCase(), role: 'OWNER' } })
    const header = reply.headers['set-cookie']!
    expect(header).toMatch(/^sonant_session_\d+=[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/)
    expect(reply.headers['cache-control']).toBe('no-store')
    const cookie = header.split(';')[0]!
    // Browsers send a host's cookies to all of its ports.
    expect(cookie.split('=')[0]).toBe(`sonant_session_${new URL(service.url).port}`)
    expect((await ask({ query: ME, cookie: cookie.replace(/_\d+/, '_1') })).data).toEqual({ me: null })
    const me = await ask({ query: ME, cookie })
    expect(me.data).toEqual({
      me: { user: { email: email.toLowerCase(), role: 'OWNER' }, accountId: account, credits: 1_000_000 },
    })
    expect(me.reply.headers['cache-control']).toBe('no-store')
    expect((await ask({ query: ME })).data).toEqual({ me: null })
  })

  test('behind TLS the cookie is secure and bound to the host, and the plain one counts for nothing', async () => {
    const { email } = await user('owner', tls)
    const headers = { origin: 'https://voice.example.org' }
    const { reply } = await ask({ query: SIGN_IN, variables: { email, password: PASSWORD }, headers }, tls)
    expect(reply.headers['set-cookie']).toMatch(
      /^__Host-sonant_session=[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax; Secure$/,
    )
    const cookie = reply.headers['set-cookie']!.split(';')[0]!
    expect((await ask({ query: ME, cookie, headers }, tls)).data).toMatchObject({ me: { user: {} } })
    expect((await ask({ query: ME, cookie: cookie.replace('__Host-', ''), headers }, tls)).data).toEqual({ me: null })
  })

  test('a wrong password and an unknown address are the same error', async () => {
    const { email } = await user()
    const [wrong, unknown, hostile] = await Promise.all([
      ask({ query: SIGN_IN, variables: { email, password: 'wrong horse battery' } }),
      ask({ query: SIGN_IN, variables: { email: `nobody.${email}`, password: PASSWORD } }),
      ask({ query: `mutation { signIn(email: "a\\u0000@example.org", password: "${PASSWORD}") { __typename } }` }),
    ])
    expect(codeOf(wrong)).toBe('UNAUTHORIZED')
    expect(codeOf(hostile)).toBe('INVALID_REQUEST')
    const messages = [wrong, unknown].map(({ errors, data }) => [errors?.[0]?.message, data])
    expect(new Set(messages.map((pair) => JSON.stringify(pair))).size).toBe(1)
    expect([wrong, unknown].map(({ reply }) => reply.headers['set-cookie'])).toEqual([undefined, undefined])
  })

  test.each([
    [true, 'a trusted proxy says who tries: others are not locked out with the caller that guesses'],
    [false, 'no other proxy is believed: another address that is only claimed is no way around the throttle'],
  ])('trusted: %s: %s', async (isTrusted) => {
    const to = isTrusted ? tls : service
    const { email } = await user('owner', to)
    const attempt = async (from: string, password: string) => {
      const headers = { 'x-forwarded-for': from, origin: isTrusted ? 'https://voice.example.org' : to.url }
      return codeOf(await ask({ query: SIGN_IN, variables: { email, password }, headers }, to))
    }
    for (let n = 0; n < 5; n++) expect(await attempt('203.0.113.1', 'wrong password')).toBe('UNAUTHORIZED')
    expect(await attempt('203.0.113.1', PASSWORD)).toBe('RATE_LIMITED')
    expect(await attempt('203.0.113.2', PASSWORD)).toBe(isTrusted ? undefined : 'RATE_LIMITED')
  })

  test('is throttled per user and address: after five wrong passwords the right one waits, too', async () => {
    const [{ email }, other] = await Promise.all([user(), user()])
    for (let count = 0; count < 5; count++) {
      expect(codeOf(await ask({ query: SIGN_IN, variables: { email, password: 'wrong horse battery' } }))).toBe(
        'UNAUTHORIZED',
      )
    }
    expect(codeOf(await ask({ query: SIGN_IN, variables: { email, password: PASSWORD } }))).toBe('RATE_LIMITED')
    const { data } = await ask({ query: SIGN_IN, variables: { email: other.email, password: PASSWORD } })
    expect(data).toMatchObject({ signIn: { email: other.email.toLowerCase() } })
  })

  test('opens no session for a password that was changed while it was verified', async () => {
    const { email, id } = await user()
    const { pool } = service.runtime.db
    const change = await pool.connect()
    await change.query(BEGIN_HELD)
    await change.query(`update "user" set password_hash = 'another' where id = $1`, [id])
    const tried = ask({ query: SIGN_IN, variables: { email, password: PASSWORD } })
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await pool.query(waits)).rowCount === 1, 60_000, 'the session to be opened')
    await change.query('commit')
    change.release()
    expect(codeOf(await tried)).toBe('UNAUTHORIZED')
    expect((await pool.query('select 1 from session where user_id = $1', [id])).rowCount).toBe(0)
  })

  test('neither password nor token rests in the database', async () => {
    const { id, cookie } = await signedIn()
    const { rows } = await service.runtime.db.pool.query(
      `select u.password_hash, s.hash, s.id from "user" u join session s on s.user_id = u.id where u.id = $1`,
      [id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(rows[0].hash).toHaveLength(32)
    expect(rows[0].hash.toString('base64url')).not.toBe(cookie.split('=')[1])
  })

  test.each([
    ['of another site', { origin: 'https://evil.example' }, 'FORBIDDEN'],
    ['of no origin', { origin: 'null' }, 'FORBIDDEN'],
    ['of another site that hides its origin', { 'sec-fetch-site': 'cross-site' }, 'FORBIDDEN'],
    ['that is ours', { 'sec-fetch-site': 'same-origin' }, undefined],
    ['that is no page at all', {}, undefined],
  ])('asked for by a page %s answers %j with %s', async (_title, headers, code) => {
    const { email } = await user()
    const body = { query: SIGN_IN, variables: { email, password: PASSWORD } }
    const reply = await call(`${service.url}/graphql`, { method: 'POST', headers: { ...headers }, body })
    expect(codeOf(reply.json<Answer>())).toBe(code)
    expect(reply.headers['set-cookie'] === undefined).toBe(code !== undefined)
  })

  test('is not possible over a WebSocket', async () => {
    const { cookie, email } = await signedIn()
    const client = openSocketClient(service.url, null, { cookie, origin: service.url })
    const heard = client.subscribe(SIGN_IN, { email, password: PASSWORD })
    await heard.ended()
    expect(heard.data).toEqual([{ signIn: { code: 'INVALID_REQUEST' } }])
    await client.dispose()
  })
})

describe('a session', () => {
  test.each([
    ['of another site', { origin: 'https://evil.example' }, 'FORBIDDEN'],
    ['of no site', { origin: 'null' }, 'FORBIDDEN'],
    ['of another port', { origin: 'http://127.0.0.1:1' }, 'FORBIDDEN'],
    ['of another scheme', { origin: 'https' }, 'FORBIDDEN'],
    ['that a browser vouches for', { 'sec-fetch-site': 'same-origin' }, undefined],
    ['without any origin', { 'sec-fetch-site': 'cross-site' }, 'FORBIDDEN'],
  ])('a POST %s with its cookie is judged by where it comes from', async (_name, headers, code) => {
    const { cookie } = await signedIn()
    const other = 'origin' in headers &&
      headers.origin === 'https' && { origin: service.url.replace('http:', 'https:') }
    const sent: Record<string, string> = { cookie, ...headers, ...other }
    const reply = await call(`${service.url}/graphql`, { method: 'POST', headers: sent, body: { query: ME } })
    expect(codeOf(reply.json<Answer>())).toBe(code)
    const open = await call(`${service.url}/graphql`, { method: 'POST', headers: { ...headers }, body: { query: ME } })
    expect(open.json<Answer>().data).toEqual({ me: null })
  })

  test("a page of another site cannot open a socket with somebody's cookie", async () => {
    const { cookie } = await signedIn()
    const client = openSocketClient(service.url, null, { cookie, origin: 'https://evil.example' })
    client.subscribe(JOBS)
    expect(await client.closed()).toBe(4403)
  })

  test('its jobs have no key, and are its account’s alone', async () => {
    const { cookie, account } = await signedIn('member')
    const submit =
      'mutation { submitVoiceJob(slug: "tts", inputs: {text: "Hi.", voice: "aria"}) { ... on VoiceJobSubmission { jobId } } }'
    const { data } = await ask({ query: submit, cookie })
    const { jobId } = data!.submitVoiceJob as { jobId: string }
    const { rows } = await service.runtime.db.pool.query('select account_id, api_key_id from job where id = $1', [
      jobId,
    ])
    expect(rows).toEqual([{ account_id: account, api_key_id: null }])
    const read = `{ job(jobId: "${jobId}") { id apiKeyId } voiceJob(jobId: "${jobId}") { status } }`
    expect((await ask({ query: read, cookie })).data).toMatchObject({ job: { id: jobId, apiKeyId: null } })
    const other = await signedIn()
    expect(codeOf(await ask({ query: read, cookie: other.cookie }))).toBe('NOT_FOUND')
  })

  test('owners look after webhooks, members do not, and neither is an operator nor reaches what is restricted', async () => {
    await applyEndpoint(service.runtime, 'studio', {}, { required_scope: 'voice:studio' })
    const [owner, member] = [await signedIn('owner'), await signedIn('member')]
    expect((await ask({ query: '{ webhook { url } }', cookie: owner.cookie })).data).toEqual({ webhook: { url: null } })
    expect(codeOf(await ask({ query: '{ webhook { url } }', cookie: member.cookie }))).toBe('FORBIDDEN')
    for (const { cookie } of [owner, member]) {
      expect(codeOf(await ask({ query: '{ workers { id } }', cookie }))).toBe('FORBIDDEN')
      expect(codeOf(await ask({ query: '{ endpointSchema(slug: "studio") { slug } }', cookie }))).toBe('NOT_FOUND')
    }
  })

  test('REST takes no cookie', async () => {
    const { cookie } = await signedIn()
    expect((await call(`${service.url}/api/v1/jobs`, { headers: { cookie } })).status).toBe(401)
  })

  test('ends when it was idle for a day or is a month old', async () => {
    const [idle, old] = [await signedIn(), await signedIn()]
    const shift = (column: string, id: string, by: string) =>
      service.runtime.db.pool.query(`update session set ${column} = ${column} - interval '${by}' where user_id = $1`, [
        id,
      ])
    await shift('seen_at', idle.id, '23 hours')
    await shift('expires_at', old.id, '29 days 23 hours')
    for (const { cookie } of [idle, old]) expect((await ask({ query: ME, cookie })).data?.me).not.toBeNull()
    // Use has set the idle clock back.
    await shift('seen_at', idle.id, '23 hours 59 minutes')
    expect((await ask({ query: ME, cookie: idle.cookie })).data?.me).not.toBeNull()
    await shift('seen_at', idle.id, '24 hours 1 minute')
    await shift('expires_at', old.id, '2 hours')
    for (const { cookie } of [idle, old]) expect((await ask({ query: ME, cookie })).data).toEqual({ me: null })
  })

  test('says that its time is over to the browser that has its cookie, and nothing where it was ended', async () => {
    const disabled = await user('member')
    const [standing, ended, idle, old] = [await signedIn(), await signedIn(), await signedIn(), await signedIn()]
    const blocked = { ...disabled, cookie: await cookieOf(disabled.email) }
    const { pool } = service.runtime.db
    await pool.query(`update session set seen_at = seen_at - interval '25 hours' where user_id = $1`, [idle.id])
    await pool.query(`update session set expires_at = now() - interval '1 hour' where user_id = any($1)`, [
      [old.id, blocked.id],
    ])
    await pool.query('delete from session where user_id = $1', [ended.id])
    await pool.query('update "user" set disabled_at = now() where id = $1', [blocked.id])
    // Signing in again elsewhere does not make an expired session one that was ended.
    await cookieOf(old.email)
    const cookies = [standing, ended, blocked, idle, old].map(({ cookie }) => cookie)
    const replies = await Promise.all(
      [...cookies, `${old.cookie.split('=')[0]}=${'a'.repeat(43)}`, undefined].map((cookie) =>
        ask({ query: ME, cookie }),
      ),
    )
    const states = replies.map(({ reply }) => reply.headers['x-sonant-session'])
    const nothing = undefined
    expect(states).toEqual([nothing, nothing, nothing, 'expired', 'expired', nothing, nothing])
    const refused = await ask({ query: SIGN_OUT, cookie: idle.cookie })
    expect([codeOf(refused), refused.reply.headers['x-sonant-session']]).toEqual(['UNAUTHORIZED', 'expired'])
    const foreign = await ask({ query: ME, cookie: old.cookie, headers: { origin: 'https://elsewhere.example' } })
    expect([codeOf(foreign), foreign.reply.headers['x-sonant-session']]).toEqual(['FORBIDDEN', nothing])
  })

  test('its cookie and its row outlive it by a day, which tells its end', async () => {
    const { email, id, cookie } = await signedIn()
    const { reply } = await ask({ query: SIGN_IN, variables: { email, password: PASSWORD } })
    const until = Date.parse(/Expires=([^;]+)/.exec(reply.headers['set-cookie']!)![1]!)
    const days = (until - service.runtime.now().getTime()) / 86_400_000
    expect(days).toBeCloseTo(31, 2)
    const { pool } = service.runtime.db
    await pool.query(`update session set expires_at = now() - interval '25 hours' where user_id = $1`, [id])
    await forgetSessions(service.runtime)
    const { reply: late } = await ask({ query: ME, cookie })
    expect(late.headers['x-sonant-session']).toBeUndefined()
  })

  test.each([
    [
      'session',
      `insert into session (id, user_id, hash, seen_at, expires_at) select $1::text || n, $1, ${HASH}, ${EXPIRED}, ${EXPIRED}`,
    ],
    ['sign_in_link', `insert into sign_in_link (hash, user_id, expires_at) select ${HASH}, $1, ${EXPIRED}`],
  ])(
    'every row of %s that is kept no longer goes but what a user’s transaction holds, until that is over',
    async (table, insert) => {
      const { pool } = service.runtime.db
      const [held, other] = [await signedIn(), await signedIn()]
      const left = async () =>
        (await pool.query(`select distinct user_id as id from ${table} where expires_at <= ${EXPIRED}`)).rows
      for (const [{ id }, rows] of [
        [held, 1],
        [other, 2_500],
      ] as const)
        await pool.query(`${insert} from generate_series(1, $2::int) n`, [id, rows])
      const holder = await pool.connect()
      try {
        await holder.query(BEGIN_HELD)
        await holder.query(`select from ${table} where user_id = $1 for update`, [held.id])
        await forgetSessions(service.runtime)
        expect(await left()).toEqual([{ id: held.id }])
      } finally {
        await holder.query('rollback')
        holder.release()
      }
      await forgetSessions(service.runtime)
      expect(await left()).toEqual([])
    },
  )
})

describe('signOut', () => {
  test('ends this browser’s session alone', async () => {
    const one = await signedIn()
    const second = await cookieOf(one.email)
    const out = await ask({ query: SIGN_OUT, cookie: one.cookie })
    expect(out.data).toEqual({ signOut: { sessions: 1 } })
    expect(out.reply.headers['set-cookie']).toMatch(/^sonant_session_\d+=; Path=\/; Expires=Thu, 01 Jan 1970/)
    expect((await ask({ query: ME, cookie: one.cookie })).data).toEqual({ me: null })
    expect((await ask({ query: ME, cookie: second })).data?.me).not.toBeNull()
    expect(codeOf(await ask({ query: SIGN_OUT, cookie: one.cookie }))).toBe('UNAUTHORIZED')
  })

  test('everywhere closes what the user holds open, within a second, and no other user’s', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const second = await cookieOf(one.email)
    const jobs = [one, other].map(({ account }) => insertJob(service.runtime.db, account, { status: 'processing' }))
    const [mine, theirs] = await Promise.all(jobs)
    const headersOf = (cookie: string) => ({ cookie, origin: service.url })
    const socket = openSocketClient(service.url, null, headersOf(second))
    const events = openEventClient(service.url, null, headersOf(one.cookie))
    const others = openEventClient(service.url, null, headersOf(other.cookie))
    const heard = [socket, events].map((client) => client.subscribe<{ jobsUpdated: { id: string } }>(JOBS))
    const kept = others.subscribe<{ jobsUpdated: { id: string } }>(JOBS)
    for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === mine)
    await kept.waitFor(({ jobsUpdated }) => jobsUpdated.id === theirs)
    expect(
      (
        await ask({
          query: 'mutation { signOut(everywhere: true) { ... on SignOutSuccess { sessions } } }',
          cookie: one.cookie,
        })
      ).data,
    ).toEqual({
      signOut: { sessions: 2 },
    })
    const start = performance.now()
    expect(await socket.closed()).toBe(4403)
    await heard[1]!.ended()
    // It is looked up every 400 ms, and nothing else would close them: far from both, for a machine that is busy.
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(kept.done).toBe(false)
    await others.dispose()
    await events.dispose()
  })
})
