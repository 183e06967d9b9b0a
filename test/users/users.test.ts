import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UserRole } from '../../src/access/scopes.ts'
import { createUser } from '../../src/users/create-user.ts'
import { disableUser, enableUser } from '../../src/users/update-user.ts'
import { call } from '../setup/http.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { codeOf, errorOf, type GraphqlAnswer, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'

const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'another horse staple'
const SIGN_IN = mutation(
  'signIn(email: $email, password: $password)',
  '... on User { id }',
  '($email: String!, $password: String!)',
)
const CHANGE = mutation(
  'changePassword(currentPassword: $from, newPassword: $to)',
  '... on ChangePasswordSuccess { sessions }',
  '($from: String!, $to: String!)',
)
const ME = '{ me { user { email } } }'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

async function ask(query: string, variables: object, cookie?: string) {
  const headers = { origin: service.url, ...(cookie !== undefined && { cookie }) }
  const reply = await call(`${service.url}/graphql`, { method: 'POST', headers, body: { query, variables } })
  return { ...reply.json<GraphqlAnswer<Record<string, unknown>>>(), cookie: reply.headers['set-cookie']?.split(';')[0] }
}
const signIn = (email: string, password = PASSWORD) => ask(SIGN_IN, { email, password })
const change = (cookie: string, from: string, to = NEW_PASSWORD) => ask(CHANGE, { from, to }, cookie)

let users = 0
async function user(role: UserRole = 'owner', account?: string) {
  const of = account ?? (await service.createAccount())
  const email = `grace.${++users}@example.org`
  const { id } = await createUser(service.runtime.as({ kind: 'system' }), {
    account: of,
    email,
    password: PASSWORD,
    role,
  })
  return { id, email, account: of, cookie: (await signIn(email)).cookie! }
}
const isSignedIn = async (cookie: string) => (await ask(ME, {}, cookie)).data?.me !== null

describe('changePassword', () => {
  test('lets the new password in and the old one out, and ends all other sessions of the user', async () => {
    const [one, other] = [await user(), await user()]
    const second = (await signIn(one.email)).cookie!
    expect((await change(one.cookie, PASSWORD)).data).toEqual({ changePassword: { sessions: 1 } })
    expect(await Promise.all([one.cookie, second, other.cookie].map(isSignedIn))).toEqual([true, false, true])
    expect(codeOf(await signIn(one.email))).toBe('UNAUTHORIZED')
    expect((await signIn(one.email, NEW_PASSWORD)).data).toEqual({ signIn: { id: one.id } })
  })

  test('needs the current password, and changes nothing without it', async () => {
    const one = await user()
    expect(errorOf(await change(one.cookie, 'wrong horse battery'))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/currentPassword' }],
    })
    expect((await signIn(one.email)).data).toEqual({ signIn: { id: one.id } })
  })

  test('counts wrong passwords as signing in does', async () => {
    const one = await user()
    for (let tries = 0; tries < 5; tries++) await change(one.cookie, 'wrong horse battery')
    const limited = await change(one.cookie, PASSWORD)
    expect([limited.data, limited.errors?.[0]?.extensions.code]).toEqual([null, 'RATE_LIMITED'])
    expect(codeOf(await signIn(one.email))).toBe('RATE_LIMITED')
  })

  test.each(['too short', 'x'.repeat(257)])('takes no bad password: %s', async (to) => {
    const one = await user()
    expect(errorOf(await change(one.cookie, PASSWORD, to))?.details).toMatchObject([{ path: '/newPassword' }])
  })

  test('of two changes at once one wins, and the other fails with a message', async () => {
    const one = await user()
    const wanted = [NEW_PASSWORD, 'third horse staple']
    const answers = await Promise.all(wanted.map((to) => change(one.cookie, PASSWORD, to)))
    expect(answers.map((answer) => codeOf(answer) ?? 'done').sort()).toEqual(['INVALID_REQUEST', 'done'])
    const winner = wanted[answers.findIndex((answer) => codeOf(answer) === undefined)]!
    expect((await signIn(one.email, winner)).data).toEqual({ signIn: { id: one.id } })
  })

  test('is for users alone', async () => {
    const { key } = await service.createCaller()
    const body = { query: CHANGE, variables: { from: PASSWORD, to: NEW_PASSWORD } }
    for (const who of [{ key }, {}]) {
      const reply = await call(`${service.url}/graphql`, { method: 'POST', body, ...who })
      expect(reply.json<GraphqlAnswer<unknown>>().errors?.[0]?.extensions.code).toBe('UNAUTHORIZED')
    }
  })
})

describe('users', () => {
  const LIST = '{ users { edges { node { id email role disabledAt } } } }'

  test('are shown to owners of their account, and to no other caller', async () => {
    const owner = await user()
    const member = await user('member', owner.account)
    await user()
    const { data } = await ask(LIST, {}, owner.cookie)
    expect(data).toEqual({
      users: {
        edges: [
          { node: { id: owner.id, email: owner.email, role: 'OWNER', disabledAt: null } },
          { node: { id: member.id, email: member.email, role: 'MEMBER', disabledAt: null } },
        ],
      },
    })
    expect(codeOf(await ask(LIST, {}, member.cookie))).toBe('FORBIDDEN')
    const self = await ask(`{ node(id: "${member.id}") { id } }`, {}, member.cookie)
    expect(self.data).toEqual({ node: { id: member.id } })
    expect(codeOf(await ask(`{ node(id: "${owner.id}") { id } }`, {}, member.cookie))).toBe('FORBIDDEN')
  })
})

describe('a disabled user', () => {
  const operator = () => service.runtime.as({ kind: 'system' })

  test('is signed out everywhere at once, and kept out as with a wrong password until enabled', async () => {
    const one = await user()
    const client = openSocketClient(service.url, null, { cookie: one.cookie, origin: service.url })
    const jobId = await insertJob(service.runtime.db, one.account, { status: 'processing' })
    const heard = client.subscribe<{ jobsUpdated: { id: string } }>('subscription { jobsUpdated { id } }')
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    await disableUser(operator(), { user: one.email.toUpperCase() })
    expect(await client.closed()).toBe(4403)
    expect(await isSignedIn(one.cookie)).toBe(false)
    const [right, wrong] = [await signIn(one.email), await signIn(one.email, 'wrong horse battery')]
    expect(right.errors?.[0]?.message).toBe(wrong.errors?.[0]?.message)
    expect([right.data, codeOf(right), right.cookie]).toEqual([null, 'UNAUTHORIZED', undefined])
    await enableUser(operator(), { user: one.id })
    expect((await signIn(one.email)).data).toEqual({ signIn: { id: one.id } })
  })

  test('has no session, should one come into being at that very moment', async () => {
    const one = await user()
    await service.runtime.db.pool.query('update "user" set disabled_at = now() where id = $1', [one.id])
    expect(await isSignedIn(one.cookie)).toBe(false)
  })

  test('keeps the moment of the first time', async () => {
    const one = await user()
    const first = await disableUser(operator(), { user: one.id })
    expect(await disableUser(operator(), { user: one.id })).toEqual(first)
  })
})
