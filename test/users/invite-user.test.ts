import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertJob } from '../setup/jobs/jobs.ts'
import { ask as askAt, codeOf, errorOf, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'
import { PASSWORD, type SignedInUser, tokenOf, type Users, usersOf } from '../setup/service/users.ts'

const USER = '... on User { id role disabledAt }'
const INVITE = mutation(
  'inviteUser(email: $email, role: $role)',
  '... on Invitation { user { id email role hasPassword lastSeenAt } signInLink { url } }',
  '($email: String!, $role: UserRole!)',
)
const UPDATE = mutation('updateUser(user: $user, role: $role)', USER, '($user: ID!, $role: UserRole!)')
const DISABLE = mutation('disableUser(user: $user)', USER, '($user: ID!)')
const ENABLE = mutation('enableUser(user: $user)', USER, '($user: ID!)')
const DISMISS = mutation('dismissFirstSteps', '... on Me { id firstStepsDismissedAt }')
const END = mutation('endSession(id: $id)', '... on EndSessionSuccess { id }', '($id: ID!)')
const ME = '{ me { user { id lastSeenAt } sessions { id createdAt seenAt current } } }'

interface Me {
  readonly user: { readonly id: string; readonly lastSeenAt: string }
  readonly sessions: readonly { readonly id: string; readonly seenAt: string; readonly current: boolean }[]
}

let service: TestRuntime
let users: Users
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
})
afterAll(() => service?.close())

const meOf = async (cookie: string) => (await users.ask(ME, {}, cookie)).data?.me as Me | null
const lastOwner = { code: 'INVALID_REQUEST', details: [{ path: '/user', message: 'is the last owner' }] }

describe('inviteUser', () => {
  test('adds a user to the account, whose link lets them in', async () => {
    const owner = await users.user()
    const { data } = await users.ask(INVITE, { email: 'New.User@Example.org', role: 'MEMBER' }, owner.cookie)
    const { user, signInLink } = data!.inviteUser as { user: { id: string }; signInLink: { url: string } }
    const added = { email: 'new.user@example.org', role: 'MEMBER', hasPassword: false, lastSeenAt: null }
    expect(user).toEqual({ id: user.id, ...added })
    const { cookie } = await users.redeem(tokenOf(signInLink.url))
    expect((await users.ask('{ me { accountId user { id } } }', {}, cookie)).data).toEqual({
      me: { accountId: owner.account, user: { id: user.id } },
    })
    const again = await users.ask(INVITE, { email: 'new.user@example.org', role: 'OWNER' }, owner.cookie)
    expect(errorOf(again)?.details).toEqual([{ path: '/email', message: 'is taken' }])
    expect(errorOf(await users.ask(INVITE, { email: 'nowhere', role: 'OWNER' }, owner.cookie))?.details).toMatchObject([
      { path: '/email' },
    ])
  })

  test('takes an address that another account has, so that nobody learns of it; the password says who signs in', async () => {
    const [first, second] = [await users.user(), await users.user()]
    const { data, ...rest } = await users.ask(INVITE, { email: first.email, role: 'MEMBER' }, second.cookie)
    expect(rest).not.toHaveProperty('errors')
    const { user, signInLink } = data!.inviteUser as { user: { id: string }; signInLink: { url: string } }
    const { cookie } = await users.redeem(tokenOf(signInLink.url))
    const complete = mutation(
      'completePerson(email: $email, password: $password)',
      '... on User { id }',
      '($email: String!, $password: String!)',
    )
    await users.ask(complete, { email: first.email, password: `${PASSWORD} of the second` }, cookie)
    const signedIn = async (password: string) => (await users.signIn(first.email, password)).data?.signIn
    expect(await signedIn(`${PASSWORD} of the second`)).toEqual({ id: user.id })
    expect(await signedIn(PASSWORD)).toEqual({ id: first.id })
    const named = await users.ask(DISABLE, { user: first.email }, second.cookie)
    expect(named.data?.disableUser).toMatchObject({ id: user.id })
  })

  test.each(['a\u202eb@example.org', 'a\u200bb@example.org', 'a\u2028b@example.org'])(
    'refuses the unseen in %j',
    async (email) => {
      const owner = await users.user()
      expect(errorOf(await users.ask(INVITE, { email, role: 'MEMBER' }, owner.cookie))?.details).toMatchObject([
        { path: '/email' },
      ])
    },
  )

  test('adds no more than a thousand users to an account', async () => {
    const owner = await users.user()
    await service.runtime.db.pool.query(
      `insert into "user" (id, account_id, email, role)
       select 'user_' || n || $1, $1, n || '.' || $1 || '@example.org', 'member' from generate_series(1, 999) n`,
      [owner.account],
    )
    expect(codeOf(await users.ask(INVITE, { email: 'more@example.org', role: 'MEMBER' }, owner.cookie))).toBe(
      'INVALID_REQUEST',
    )
  })
})

describe('the users of an account', () => {
  test('are changed by its owners alone: to others they look missing', async () => {
    const [owner, other] = [await users.user(), await users.user()]
    const member = await users.user('member', owner.account)
    const third = await users.newcomer('member', owner.account)
    const { apiKey } = await service.createKey(owner.account, ['account:admin'])
    for (const query of [UPDATE, DISABLE, ENABLE]) {
      const asked = (user: string) => ({ user, ...(query === UPDATE && { role: 'MEMBER' }) })
      expect(codeOf(await users.ask(query, asked(owner.id), member.cookie))).toBe('FORBIDDEN')
      expect(codeOf(await users.ask(query, asked(owner.id)))).toBe('UNAUTHORIZED')
      expect(codeOf(await users.ask(query, asked(other.id), owner.cookie))).toBe('NOT_FOUND')
      expect(codeOf(await askAt(service.url, apiKey, query, asked(third.email)))).toBeUndefined()
    }
    expect(codeOf(await users.ask(INVITE, { email: 'x@example.org', role: 'MEMBER' }, member.cookie))).toBe('FORBIDDEN')
    const elsewhere = mutation(
      `inviteUser(email: "x@example.org", role: MEMBER, account: "${other.account}")`,
      '__typename',
    )
    expect(codeOf(await users.ask(elsewhere, {}, owner.cookie))).toBe('FORBIDDEN')
  })

  test('keep one owner who may sign in: the last is neither disabled nor made a member', async () => {
    const owner = await users.user()
    await users.user('member', owner.account)
    const disabled = await users.user('owner', owner.account)
    expect(codeOf(await users.ask(DISABLE, { user: disabled.id }, owner.cookie))).toBeUndefined()
    const demote = { user: owner.id, role: 'MEMBER' }
    expect(errorOf(await users.ask(UPDATE, demote, owner.cookie))).toMatchObject(lastOwner)
    expect(errorOf(await users.ask(DISABLE, { user: owner.email }, owner.cookie))).toMatchObject(lastOwner)
    expect((await users.ask(ENABLE, { user: disabled.id }, owner.cookie)).data).toEqual({
      enableUser: { id: disabled.id, role: 'OWNER', disabledAt: null },
    })
    expect((await users.ask(UPDATE, demote, owner.cookie)).data).toEqual({
      updateUser: { id: owner.id, role: 'MEMBER', disabledAt: null },
    })
    expect(codeOf(await users.ask(ENABLE, { user: disabled.id }, owner.cookie))).toBe('FORBIDDEN')
  })

  test('keep one owner also when two take each other out at the same moment', async () => {
    const one = await users.user()
    const two = await users.user('owner', one.account)
    const answers = await Promise.all([
      users.ask(DISABLE, { user: two.id }, one.cookie),
      users.ask(UPDATE, { user: one.id, role: 'MEMBER' }, two.cookie),
    ])
    const left = { accountId: one.account, role: 'owner', disabledAt: null } as const
    expect(await service.runtime.db.prisma.user.count({ where: left })).toBe(1)
    expect(answers.filter((answer) => codeOf(answer) === undefined)).toHaveLength(1)
  })

  test('lose sessions and open sockets when they are disabled, and keep their password for later', async () => {
    const owner = await users.user()
    const member = await users.user('member', owner.account)
    const client = openSocketClient(service.url, null, { cookie: member.cookie, origin: service.url })
    const jobId = await insertJob(service.runtime.db, owner.account, { status: 'processing' })
    const heard = client.subscribe<{ jobsUpdated: { id: string } }>('subscription { jobsUpdated { id } }')
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    const { data } = await users.ask(DISABLE, { user: member.email }, owner.cookie)
    expect(data).toEqual({ disableUser: { id: member.id, role: 'MEMBER', disabledAt: expect.stringMatching(/Z$/) } })
    expect(await meOf(member.cookie)).toBeNull()
    expect(await client.closed()).toBe(4403)
    expect(codeOf(await users.signIn(member.email, PASSWORD))).toBe('UNAUTHORIZED')
    await users.ask(ENABLE, { user: member.email }, owner.cookie)
    expect(codeOf(await users.signIn(member.email, PASSWORD))).toBeUndefined()
  })
})

describe('the sessions of a user', () => {
  const second = async ({ email }: SignedInUser) => (await users.signIn(email)).cookie!

  test('are listed, the last used first, and say when the user was seen', async () => {
    const one = await users.user()
    const elsewhere = await second(one)
    const { pool } = service.runtime.db
    const age = `update session set seen_at = seen_at - interval '2 minutes' where user_id = $1`
    await pool.query(age, [one.id])
    const before = (await meOf(one.cookie))!
    expect(before.sessions.map(({ current }) => current)).toEqual([true, false])
    expect(before.sessions[0]!.seenAt > before.sessions[1]!.seenAt).toBe(true)
    expect(before.user.lastSeenAt).toBe(before.sessions[0]!.seenAt)
    const theirs = (await meOf(elsewhere))!
    expect(theirs.sessions.filter(({ current }) => current)).toHaveLength(1)
    expect(theirs.sessions[0]).toMatchObject({ current: true })
  })

  test('remember that their user has put the first steps away, whichever one did it, and nobody else does', async () => {
    const [one, other] = [await users.user(), await users.user()]
    const elsewhere = await second(one)
    expect(codeOf(await users.ask(DISMISS))).toBe('UNAUTHORIZED')
    const at = async (cookie: string) => (await users.ask('{ me { firstStepsDismissedAt } }', {}, cookie)).data?.me
    expect(await at(one.cookie)).toEqual({ firstStepsDismissedAt: null })
    const put = await users.ask(DISMISS, {}, one.cookie)
    expect(put.data).toEqual({ dismissFirstSteps: { id: one.id, firstStepsDismissedAt: expect.any(String) } })
    expect([await at(elsewhere), await at(other.cookie)]).toEqual([
      { firstStepsDismissedAt: expect.any(String) },
      { firstStepsDismissedAt: null },
    ])
  })

  test('end one by one, each by its own user alone; the current one takes its cookie along', async () => {
    const [one, other] = [await users.user(), await users.user()]
    const elsewhere = await second(one)
    const { sessions } = (await meOf(one.cookie))!
    const [here, there] = [sessions.find(({ current }) => current)!.id, sessions.find(({ current }) => !current)!.id]
    expect(codeOf(await users.ask(END, { id: here }, other.cookie))).toBe('NOT_FOUND')
    expect(codeOf(await users.ask(END, { id: here }))).toBe('UNAUTHORIZED')
    const ended = await users.ask(END, { id: there }, one.cookie)
    expect([ended.data, ended.cookie]).toEqual([{ endSession: { id: there } }, undefined])
    expect(await meOf(elsewhere)).toBeNull()
    expect(codeOf(await users.ask(END, { id: there }, one.cookie))).toBe('NOT_FOUND')
    const own = await users.ask(END, { id: here }, one.cookie)
    expect(own.cookie).toMatch(/^sonant_session_\d+=$/)
    expect(await meOf(one.cookie)).toBeNull()
  })
})
