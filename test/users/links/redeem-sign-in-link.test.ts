import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setPassword } from '../../../src/users/change-password.ts'
import { disableUser, setOperator } from '../../../src/users/update-user.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { ask as askAt, codeOf, errorOf, mutation } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'
import { PASSWORD, tokenOf, type Users, usersOf } from '../../setup/service/users.ts'

const CREATE = mutation('createSignInLink(user: $user)', '... on NewSignInLink { url expiresAt }', '($user: ID!)')
const RESET = mutation(
  'resetPassword(user: $user)',
  '... on Invitation { user { id hasPassword } signInLink { url expiresAt } }',
  '($user: ID!)',
)
const LOOK = 'query ($token: String!) { signInLink(token: $token) { email account expiresAt } }'
const COMPLETE = mutation(
  'completePerson(email: $email, password: $password)',
  '... on User { email hasPassword }',
  '($email: String!, $password: String!)',
)
const ME = '{ me { user { email hasPassword } accountId } }'
const UNKNOWN_TOKEN = 'A'.repeat(43)

interface Link {
  readonly url: string
  readonly expiresAt: string
}

interface Invitation {
  readonly user: { readonly id: string }
  readonly signInLink: Link
}

let service: TestRuntime
let users: Users
beforeAll(async () => {
  service = await startTestRuntime({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  users = usersOf(service)
})
afterAll(() => service?.close())

const DAY_MS = 86_400_000
const daysLeft = (expiresAt: string) => (Date.parse(expiresAt) - service.runtime.now().getTime()) / DAY_MS

const system = () => service.runtime.as({ kind: 'system' })
const nameOf = async (account: string) =>
  (await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })).name

describe('a sign-in link', () => {
  test('is made by an owner, says whose it is without being used up, and signs its user in once', async () => {
    const owner = await users.user()
    const member = await users.user('member', owner.account)
    const made = await users.ask(CREATE, { user: member.email.toUpperCase() }, owner.cookie)
    const { url, expiresAt } = made.data!.createSignInLink as { url: string; expiresAt: string }
    expect(url).toMatch(new RegExp(`^${service.url}/console/enter#[\\w-]{43}$`))
    const life = Date.parse(expiresAt) - service.runtime.now().getTime()
    expect(life > 14 * 60_000 && life <= 15 * 60_000).toBe(true)
    const token = tokenOf(url)
    const shown = { signInLink: { email: member.email, account: await nameOf(owner.account), expiresAt } }
    for (const _time of ['once', 'twice']) expect((await users.ask(LOOK, { token })).data).toEqual(shown)
    const entered = await users.redeem(token)
    expect(entered.data).toEqual({ redeemSignInLink: { id: member.id } })
    const me = { user: { email: member.email, hasPassword: true }, accountId: owner.account }
    expect((await users.ask(ME, {}, entered.cookie)).data).toEqual({ me })
    const again = await users.redeem(token)
    expect([again.data, codeOf(again), again.cookie]).toEqual([null, 'UNAUTHORIZED', undefined])
    expect((await users.ask(LOOK, { token })).data).toEqual({ signInLink: null })
  })

  test('is an invitation again for a user without a password: it works for three days', async () => {
    const owner = await users.user()
    const invite = mutation(
      'inviteUser(email: "late@example.org", role: MEMBER)',
      '... on Invitation { user { id } signInLink { url expiresAt } }',
    )
    const { user, signInLink } = (await users.ask(invite, {}, owner.cookie)).data!.inviteUser as Invitation
    const again = (await users.ask(CREATE, { user: user.id }, owner.cookie)).data!.createSignInLink as Link
    for (const { expiresAt } of [signInLink, again]) expect(Math.abs(daysLeft(expiresAt) - 3)).toBeLessThan(0.01)
    const age = `update sign_in_link set expires_at = expires_at - interval '71 hours' where user_id = $1`
    await service.runtime.db.pool.query(age, [user.id])
    expect((await users.redeem(tokenOf(signInLink.url))).data).toEqual({ redeemSignInLink: { id: user.id } })
    await service.runtime.db.pool.query(age, [user.id])
    expect(codeOf(await users.redeem(tokenOf(again.url)))).toBe('UNAUTHORIZED')
  })

  test('signs one of many in who use it at the same moment', async () => {
    const token = await users.tokenFor((await users.newcomer()).id)
    const answers = await Promise.all(Array.from({ length: 5 }, () => users.redeem(token)))
    expect(answers.filter(({ cookie }) => cookie !== undefined)).toHaveLength(1)
  })

  test('works no more when it has expired, and is one error with links that never were', async () => {
    const { id } = await users.newcomer()
    const token = await users.tokenFor(id)
    const age = `update sign_in_link set expires_at = expires_at - interval '15 minutes 1 second' where user_id = $1`
    await service.runtime.db.pool.query(age, [id])
    const answers = [await users.redeem(token), await users.redeem(UNKNOWN_TOKEN), await users.redeem('no token')]
    expect(new Set(answers.map(({ errors }) => errors?.[0]?.message)).size).toBe(1)
    expect(answers.map(codeOf)).toEqual(Array(3).fill('UNAUTHORIZED'))
  })

  test('rests in the database as a hash alone, and of a user the ten newest work', async () => {
    const { id } = await users.newcomer()
    const tokens: string[] = []
    for (let n = 0; n < 11; n++) tokens.push(await users.tokenFor(id))
    const { rows } = await service.runtime.db.pool.query<{ row: string }>(
      'select l::text as row from sign_in_link l where user_id = $1',
      [id],
    )
    expect(rows).toHaveLength(10)
    expect(rows.filter(({ row }) => tokens.some((token) => row.includes(token)))).toEqual([])
    expect(codeOf(await users.redeem(tokens[0]!))).toBe('UNAUTHORIZED')
    expect(codeOf(await users.redeem(tokens[1]!))).toBeUndefined()
  })

  test('ends with the sessions of its user: when disabled, given another password, or signed out everywhere', async () => {
    const [one, two, three] = [await users.user(), await users.user(), await users.user()]
    const tokens = await Promise.all([one, two, three].map(({ id }) => users.tokenFor(id)))
    await disableUser(system(), { user: one.id })
    await setPassword(system(), { user: two.id, password: PASSWORD })
    const out = await users.ask(
      'mutation { signOut(everywhere: true) { ... on SignOutSuccess { sessions } } }',
      {},
      three.cookie,
    )
    expect(out.data).toEqual({ signOut: { sessions: 1 } })
    for (const token of tokens) expect(codeOf(await users.redeem(token))).toBe('UNAUTHORIZED')
    expect(errorOf(await askAt(service.url, await adminKey(one.account), CREATE, { user: one.id }))?.details).toEqual([
      { path: '/user', message: 'is disabled' },
    ])
  })

  const adminKey = async (account: string) => (await service.createKey(account, ['account:admin'])).apiKey

  test('is for owners to make, of the users of their own account: others look missing', async () => {
    const [owner, other] = [await users.user(), await users.user()]
    const member = await users.user('member', owner.account)
    expect(codeOf(await users.ask(CREATE, { user: owner.id }, member.cookie))).toBe('FORBIDDEN')
    expect(codeOf(await users.ask(CREATE, { user: owner.id }))).toBe('UNAUTHORIZED')
    const foreign = errorOf(await users.ask(CREATE, { user: other.id }, owner.cookie))
    expect(foreign).toMatchObject({ code: 'NOT_FOUND' })
    const missing = errorOf(await users.ask(CREATE, { user: 'user_none' }, owner.cookie))
    expect(foreign?.message.replace(other.id, 'user_none')).toBe(missing?.message)
  })

  test('is asked about by POST alone: an address would be kept', async () => {
    const token = await users.tokenFor((await users.newcomer()).id)
    const query = new URLSearchParams({ query: LOOK, variables: JSON.stringify({ token }) })
    const reply = await call(`${service.url}/graphql?${query}`, { headers: { accept: 'application/json' } })
    expect(codeOf(reply.json())).toBe('INVALID_REQUEST')
    expect(reply.text).not.toContain(token)
  })

  test('signs in no page of another site, and nothing over a WebSocket', async () => {
    const [{ id }, { cookie }] = [await users.newcomer(), await users.user()]
    const token = await users.tokenFor(id)
    const query = `mutation { redeemSignInLink(token: "${token}") { ... on User { id } ... on RequestError { code } } }`
    const headers = { origin: 'https://evil.example' }
    const reply = await call(`${service.url}/graphql`, { method: 'POST', headers, body: { query } })
    expect([codeOf(reply.json()), reply.headers['set-cookie']]).toEqual(['FORBIDDEN', undefined])
    const client = openSocketClient(service.url, null, { cookie, origin: service.url })
    const heard = client.subscribe(query)
    await heard.ended()
    expect(heard.data).toEqual([{ redeemSignInLink: { code: 'INVALID_REQUEST' } }])
    await client.dispose()
    expect((await users.redeem(token)).data).toEqual({ redeemSignInLink: { id } })
  })

  test('is throttled as signing in is: fifty wrong tokens from one address, looked at or used', async () => {
    const from = async (address: string, query: string, token: string) => {
      const headers = { 'x-forwarded-for': address }
      const reply = await call(`${service.url}/graphql`, {
        method: 'POST',
        headers,
        body: { query, variables: { token } },
      })
      return codeOf(reply.json())
    }
    const redeem = mutation('redeemSignInLink(token: $token)', '... on User { id }', '($token: String!)')
    const wrong = (n: number) => `${UNKNOWN_TOKEN.slice(4)}${String(n).padStart(4, '0')}`
    for (let n = 0; n < 50; n++) await from('203.0.113.9', n % 2 === 0 ? LOOK : redeem, wrong(n))
    const token = await users.tokenFor((await users.newcomer()).id)
    expect(await from('203.0.113.9', LOOK, token)).toBe('RATE_LIMITED')
    expect(await from('203.0.113.9', redeem, token)).toBe('RATE_LIMITED')
    expect(await from('203.0.113.10', redeem, token)).toBeUndefined()
  })
})

describe('completePerson', () => {
  test('sets address and password of a user who came by a link, and leaves this browser alone signed in', async () => {
    const { id } = await users.newcomer()
    const tokens = [await users.tokenFor(id), await users.tokenFor(id), await users.tokenFor(id)]
    const [here, elsewhere] = [await users.redeem(tokens[0]!), await users.redeem(tokens[1]!)]
    const email = `Own.${id}@Example.org`
    const done = await users.ask(COMPLETE, { email, password: PASSWORD }, here.cookie)
    expect(done.data).toEqual({ completePerson: { email: email.toLowerCase(), hasPassword: true } })
    expect((await users.ask(ME, {}, here.cookie)).data?.me).not.toBeNull()
    expect((await users.ask(ME, {}, elsewhere.cookie)).data).toEqual({ me: null })
    expect(codeOf(await users.redeem(tokens[2]!))).toBe('UNAUTHORIZED')
    expect((await users.signIn(email)).data).toEqual({ signIn: { id } })
    const twice = await users.ask(COMPLETE, { email, password: PASSWORD }, here.cookie)
    expect(errorOf(twice)).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/password' }] })
  })

  test('takes no address in use, no bad password, and no caller without a session', async () => {
    const newcomer = await users.newcomer()
    const other = await users.user('member', newcomer.account)
    const { cookie } = await users.redeem(await users.tokenFor(newcomer.id))
    const pathsOf = async (email: string, password: string) =>
      errorOf(await users.ask(COMPLETE, { email, password }, cookie))?.details.map(({ path }) => path)
    expect(await pathsOf(other.email, PASSWORD)).toEqual(['/email'])
    expect(await pathsOf('no address', PASSWORD)).toEqual(['/email'])
    expect(await pathsOf('free@example.org', 'short')).toEqual(['/password'])
    const { apiKey } = await service.createKey(other.account, ['account:admin'])
    const byKey = await askAt(service.url, apiKey, COMPLETE, { email: 'free@example.org', password: PASSWORD })
    expect(codeOf(byKey)).toBe('UNAUTHORIZED')
  })

  test('before it no password lets the user in, nor does changePassword', async () => {
    const newcomer = await users.newcomer()
    expect(codeOf(await users.signIn(newcomer.email, ''))).toBe('UNAUTHORIZED')
    const { cookie } = await users.redeem(await users.tokenFor(newcomer.id))
    const change = mutation(`changePassword(currentPassword: "", newPassword: "${PASSWORD}")`, '__typename')
    expect(errorOf(await users.ask(change, {}, cookie))?.details).toMatchObject([{ path: '/currentPassword' }])
  })
})

describe('resetPassword', () => {
  test("ends a user's password and sessions, and its link lets them choose another, once", async () => {
    const owner = await users.user()
    const member = await users.user('member', owner.account)
    const older = await users.tokenFor(member.id)
    const client = openSocketClient(service.url, null, { cookie: member.cookie, origin: service.url })
    const jobId = await insertJob(service.runtime.db, owner.account, { status: 'processing' })
    const heard = client.subscribe<{ jobsUpdated: { id: string } }>('subscription { jobsUpdated { id } }')
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    const answer = await users.ask(RESET, { user: member.email }, owner.cookie)
    const { user, signInLink } = answer.data!.resetPassword as Invitation
    expect(user).toEqual({ id: member.id, hasPassword: false })
    const { url, expiresAt } = signInLink
    expect(Math.abs(daysLeft(expiresAt) - 3)).toBeLessThan(0.01)
    expect(await client.closed()).toBe(4403)
    expect((await users.ask(ME, {}, member.cookie)).data).toEqual({ me: null })
    expect(codeOf(await users.signIn(member.email))).toBe('UNAUTHORIZED')
    expect(codeOf(await users.redeem(older))).toBe('UNAUTHORIZED')
    const { cookie } = await users.redeem(tokenOf(url))
    const fresh = `${PASSWORD} anew`
    const completed = await users.ask(COMPLETE, { email: member.email, password: fresh }, cookie)
    expect(completed.data).toEqual({ completePerson: { email: member.email, hasPassword: true } })
    expect(codeOf(await users.signIn(member.email))).toBe('UNAUTHORIZED')
    expect((await users.signIn(member.email, fresh)).data).toEqual({ signIn: { id: member.id } })
    expect(codeOf(await users.redeem(tokenOf(url)))).toBe('UNAUTHORIZED')
    const audit = '{ auditEntries(actions: [PASSWORD_RESET]) { nodes { subjectName by { name } detail } } }'
    expect((await users.ask(audit, {}, owner.cookie)).data).toEqual({
      auditEntries: { nodes: [{ subjectName: member.email, by: { name: owner.email }, detail: null }] },
    })
  })

  test("is for owners, of the users of their own account, and not for one's own or an operator's password", async () => {
    const [owner, other] = [await users.user(), await users.user()]
    const member = await users.user('member', owner.account)
    expect(codeOf(await users.ask(RESET, { user: owner.id }, member.cookie))).toBe('FORBIDDEN')
    expect(codeOf(await users.ask(RESET, { user: owner.id }))).toBe('UNAUTHORIZED')
    expect(codeOf(await users.ask(RESET, { user: other.id }, owner.cookie))).toBe('NOT_FOUND')
    expect(errorOf(await users.ask(RESET, { user: owner.email }, owner.cookie))?.details).toEqual([
      { path: '/user', message: 'is the caller' },
    ])
    await setOperator(system(), { user: member.id, operator: true })
    expect(codeOf(await users.ask(RESET, { user: member.id }, owner.cookie))).toBe('FORBIDDEN')
    await setOperator(system(), { user: member.id, operator: false })
    await disableUser(system(), { user: member.id })
    expect(errorOf(await users.ask(RESET, { user: member.id }, owner.cookie))?.details).toEqual([
      { path: '/user', message: 'is disabled' },
    ])
    for (const { email } of [owner, other]) expect(codeOf(await users.signIn(email))).toBeUndefined()
  })
})
