import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../src/users/update-user.ts'
import { ask as askAt, codeOf, errorOf, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../setup/service/users.ts'

const AGAIN = mutation(
  'reauthenticate(password: $password)',
  '... on Reauthentication { until }',
  '($password: String!)',
)
const CREDIT = mutation('creditAccount(account: $account, amount: 5)', '... on Account { credits }', '($account: ID!)')
const LINK = mutation('createSignInLink(user: $user)', '... on NewSignInLink { url }', '($user: ID!)')
const READS = '{ accounts(first: 1) { edges { cursor } } workers { id } failureCauses { jobs } }'
const CHANGES = [
  'createAccount(name: "made", credits: 1)',
  'creditAccount(account: "none", amount: 1)',
  'applyEndpoints(source: "endpoints: []")',
  'deleteEndpoint(slug: "none")',
  'proposeEngine(address: "127.0.0.1:9")',
  'hearEngine(slug: "tts")',
  'inviteUser(email: "x@example.org", role: MEMBER, account: $account)',
  'updateUser(user: $user, role: MEMBER)',
  'disableUser(user: $user)',
  'enableUser(user: $user)',
  'createSignInLink(user: $user)',
]

let service: TestRuntime
let users: Users
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
})
afterAll(() => service?.close())

const mark = (user: string, operator = true) => setOperator(service.runtime.as({ kind: 'system' }), { user, operator })
/** The session ages as if its user had given the password so many minutes ago. */
const age = (userId: string, minutes: number) =>
  service.runtime.db.pool.query(
    `update session set password_at = password_at - $2 * interval '1 minute' where user_id = $1`,
    [userId, minutes],
  )
async function operator(): Promise<SignedInUser> {
  const one = await users.user()
  await mark(one.id)
  return { ...one, cookie: (await users.signIn(one.email)).cookie! }
}

describe('a user that the command line has marked', () => {
  test('operates once signed in: reads at any time, changes things for 15 minutes after the password', async () => {
    const one = await operator()
    const other = await service.createAccount(7n)
    const credit = () => users.ask(CREDIT, { account: other }, one.cookie)
    expect((await credit()).data).toEqual({ creditAccount: { credits: 12 } })
    await age(one.id, 14)
    expect((await credit()).data).toEqual({ creditAccount: { credits: 17 } })
    await age(one.id, 2)
    const refused = await credit()
    expect([refused.data, codeOf(refused)]).toEqual([null, 'REAUTHENTICATION_REQUIRED'])
    expect((await users.ask(READS, {}, one.cookie)).errors).toBeUndefined()
    const before = service.runtime.now().getTime()
    const { data } = await users.ask(AGAIN, { password: 'correct horse battery' }, one.cookie)
    const { until } = data!.reauthenticate as { until: string }
    expect(Math.abs(Date.parse(until) - before - 15 * 60_000)).toBeLessThan(30_000)
    expect((await credit()).data).toEqual({ creditAccount: { credits: 22 } })
  })

  test('is asked for it before every change of what is another account’s, which no other owner may make', async () => {
    const [one, other, owner] = [await operator(), await users.newcomer(), await users.user()]
    const entered = await users.redeem(await users.tokenFor(one.id))
    const variables = { user: other.id, account: other.account }
    for (const field of CHANGES) {
      const used = Object.keys(variables).filter((name) => field.includes(`$${name}`))
      const query = mutation(field, '__typename', used.length === 0 ? '' : `(${used.map((name) => `$${name}: ID!`)})`)
      expect(codeOf(await users.ask(query, variables, entered.cookie)), field).toBe('REAUTHENTICATION_REQUIRED')
      expect(['FORBIDDEN', 'NOT_FOUND'], field).toContain(codeOf(await users.ask(query, variables, owner.cookie)))
    }
  })

  test('is asked for no password over what an owner does in the own account', async () => {
    const one = await operator()
    const member = await users.newcomer('member', one.account)
    const { cookie } = await users.redeem(await users.tokenFor(one.id))
    expect(codeOf(await users.ask(LINK, { user: member.id }, cookie))).toBeUndefined()
  })

  test('gives no key the scope operator, since a key is asked for no password', async () => {
    const one = await operator()
    const make = 'mutation { createApiKey(name: "x", scopes: ["operator"]) { __typename } }'
    expect(codeOf(await users.ask(make, {}, one.cookie))).toBe('FORBIDDEN')
  })

  test('gets a link from the command line alone: an owner of the account does not become one', async () => {
    const one = await operator()
    const owner = await users.user('owner', one.account)
    expect(codeOf(await users.ask(LINK, { user: one.id }, owner.cookie))).toBe('FORBIDDEN')
    const { apiKey } = await service.createKey(one.account, ['account:admin', 'operator'])
    expect(codeOf(await askAt(service.url, apiKey, LINK, { user: one.id }))).toBe('FORBIDDEN')
    const { cookie } = await users.redeem(await users.tokenFor(one.id))
    expect((await users.ask('{ me { user { operator } } }', {}, cookie)).data).toEqual({
      me: { user: { operator: true } },
    })
  })

  test('is changed by operators alone, not by an owner of the same account', async () => {
    const marked = await operator()
    const owner = await users.user('owner', marked.account)
    for (const field of [
      'disableUser(user: $user)',
      'updateUser(user: $user, role: MEMBER)',
      'enableUser(user: $user)',
    ]) {
      const change = mutation(field, '... on User { id }', '($user: ID!)')
      expect(codeOf(await users.ask(change, { user: marked.id }, owner.cookie)), field).toBe('FORBIDDEN')
    }
    const disable = mutation('disableUser(user: $user)', '... on User { id }', '($user: ID!)')
    expect((await users.ask(disable, { user: marked.id }, (await operator()).cookie)).data?.disableUser).toEqual({
      id: marked.id,
    })
  })

  test('operates no more once the mark is taken back; every mark ends the sessions of before', async () => {
    const one = await users.user()
    const token = await users.tokenFor(one.id)
    await mark(one.email)
    expect((await users.ask('{ me { accountId } }', {}, one.cookie)).data).toEqual({ me: null })
    expect(codeOf(await users.redeem(token))).toBe('UNAUTHORIZED')
    const { cookie } = await users.signIn(one.email)
    expect((await users.ask(READS, {}, cookie)).errors).toBeUndefined()
    await service.runtime.db.pool.query(`update "user" set operator = false where id = $1`, [one.id])
    expect(codeOf(await users.ask(READS, {}, cookie))).toBe('FORBIDDEN')
  })
})

describe('reauthenticate', () => {
  test('takes the own password alone, counts wrong ones as signing in does, and is for users', async () => {
    const one = await users.user()
    const { apiKey } = await service.createKey(one.account, ['operator'])
    expect(codeOf(await askAt(service.url, apiKey, AGAIN, { password: 'x' }))).toBe('UNAUTHORIZED')
    const again = (password: string) => users.ask(AGAIN, { password }, one.cookie)
    for (let tries = 0; tries < 5; tries++)
      expect(errorOf(await again('wrong horse battery'))).toMatchObject({
        code: 'INVALID_REQUEST',
        details: [{ path: '/password' }],
      })
    expect(codeOf(await again('correct horse battery'))).toBe('RATE_LIMITED')
    expect(codeOf(await users.signIn(one.email))).toBe('RATE_LIMITED')
  })
})
