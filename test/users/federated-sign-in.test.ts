import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setPassword } from '../../src/users/change-password.ts'
import { disableUser, setOperator } from '../../src/users/update-user.ts'
import { call } from '../setup/http.ts'
import type { Forger, Forgery } from '../setup/servers/oidc-forger.ts'
import { OTHER_KEYS, startForger } from '../setup/servers/oidc-forger.ts'
import { CLIENT, SignInBrowser, startProvider, type TestProvider } from '../setup/servers/oidc-provider.ts'
import { codeOf, errorOf, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { PASSWORD, type Users, usersOf } from '../setup/service/users.ts'

const ME = '{ me { accountId user { id email role isFederated hasPassword } } }'
const INVITE = mutation(
  'inviteUser(email: $email, role: $role)',
  '... on Invitation { user { id } signInLink { url } }',
  '($email: String!, $role: UserRole!)',
)
const GROUPS = 'voice-admins=owner,voice-users=member'

let provider: TestProvider
/** Only invited users sign in. */
let invited: TestRuntime
/** Users join an account, with roles of the provider. */
let joined: TestRuntime
let account: string
beforeAll(async () => {
  provider = await startProvider()
  const env = { OIDC_ISSUER: provider.issuer, ...CLIENT, OIDC_NAME: 'Acme' }
  invited = await startTestRuntime({ env })
  joined = await startTestRuntime({
    env: {
      ...{ ...env, OIDC_ACCOUNT: 'harbour', OIDC_SCOPES: 'openid email groups' },
      ...{ OIDC_ROLES_CLAIM: 'groups', OIDC_ROLES: GROUPS },
    },
  })
  account = await joined.createAccount()
  await joined.runtime.db.pool.query(`update account set name = 'harbour' where id = $1`, [account])
  provider.serve(invited.url, joined.url)
})
afterAll(async () => {
  await joined?.close()
  await invited?.close()
  await provider?.close()
})

let logins = 0
const newLogin = () => `person.${++logins}`
const emailOf = (login: string) => `${login}@acme.example`

async function meOf(service: TestRuntime, browser: SignInBrowser) {
  const answer = await usersOf(service).ask(ME, {}, browser.cookies(service.url))
  return answer.data?.me as { accountId: string; user: { id: string; email: string; role: string } } | null
}

const signInPage = (service: TestRuntime, refused: string) => `${service.url}/console/sign-in?refused=${refused}`

async function enter(service: TestRuntime, login: string, browser = new SignInBrowser()) {
  const page = await browser.signIn(service.url, login)
  return { page, browser, me: await meOf(service, browser) }
}

/** An owner and the user whom they invited. */
async function invite(users: Users, email: string, role = 'MEMBER') {
  const owner = await users.user()
  const { data } = await users.ask(INVITE, { email, role }, owner.cookie)
  const { user, signInLink } = data!.inviteUser as { user: { id: string }; signInLink: { url: string } }
  return { owner, id: user.id, token: signInLink.url.split('#')[1]! }
}

type Invited = Awaited<ReturnType<typeof invite>>

describe('an invited person', () => {
  test('comes in by the verified address, and later by the subject, whatever the address is then', async () => {
    const users = usersOf(invited)
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login).toUpperCase() })
    const { owner, id, token } = await invite(users, emailOf(login))
    const { page, browser, me } = await enter(invited, login)
    expect(page).toBe(`${invited.url}/console/sign-in`)
    const user = { id, email: emailOf(login), role: 'MEMBER', isFederated: true, hasPassword: false }
    expect(me).toEqual({ accountId: owner.account, user })
    expect(browser.cookies(invited.url)).toMatch(/^sonant_session_\d+=[\w-]{43}$/)
    expect(codeOf(await users.redeem(token))).toBe('UNAUTHORIZED')
    provider.people.set(login, { email: `other.${emailOf(login)}` })
    expect((await enter(invited, login)).me?.user.id).toBe(id)
    const audit = '{ auditEntries(actions: [USER_FEDERATED]) { nodes { subjectName } } }'
    expect((await users.ask(audit, {}, owner.cookie)).data).toEqual({
      auditEntries: { nodes: [{ subjectName: emailOf(login) }] },
    })
  })

  test('who had a password has none afterwards, and sessions from before end', async () => {
    const users = usersOf(invited)
    const user = await users.user()
    const login = newLogin()
    provider.people.set(login, { email: user.email })
    expect((await enter(invited, login)).me?.user.id).toBe(user.id)
    expect((await users.ask(ME, {}, user.cookie)).data).toEqual({ me: null })
    expect(codeOf(await users.signIn(user.email))).toBe('UNAUTHORIZED')
  })

  test('gets no link or password from an owner or themselves, but a password from the command line', async () => {
    const users = usersOf(invited)
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login) })
    const { owner, id } = await invite(users, emailOf(login), 'OWNER')
    const { browser } = await enter(invited, login)
    const details = [{ path: '/user', message: 'signs in through the provider' }]
    for (const [field, result] of [
      ['createSignInLink', 'NewSignInLink'],
      ['resetPassword', 'Invitation'],
    ]) {
      const query = mutation(`${field}(user: "${id}")`, `... on ${result} { __typename }`)
      expect(errorOf(await users.ask(query, {}, owner.cookie))?.details).toEqual(details)
    }
    const complete = mutation(`completePerson(email: "x@acme.example", password: "${PASSWORD}")`, '... on User { id }')
    expect(errorOf(await users.ask(complete, {}, browser.cookies(invited.url)))?.details).toEqual(details)
    await setPassword(invited.runtime.as({ kind: 'system' }), { user: id, password: PASSWORD })
    expect((await users.signIn(emailOf(login))).data).toEqual({ signIn: { id } })
  })

  test('who is an operator confirms changes by signing in at the provider again', async () => {
    const users = usersOf(invited)
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login) })
    const { id } = await invite(users, emailOf(login))
    await setOperator(invited.runtime.as({ kind: 'system' }), { user: id, operator: true })
    const browser = new SignInBrowser()
    await browser.signIn(invited.url, login)
    const grant = mutation(
      `creditAccount(account: "${await invited.createAccount()}", amount: 1)`,
      '... on Account { credits }',
    )
    const ask = async () => codeOf(await users.ask(grant, {}, browser.cookies(invited.url)))
    expect(await ask()).toBe('REAUTHENTICATION_REQUIRED')
    await browser.signIn(invited.url, login, '?again&to=/console/operator/accounts')
    expect(browser.visited.at(-1)).toBe(`${invited.url}/console/sign-in?to=%2Fconsole%2Foperator%2Faccounts`)
    expect(await ask()).toBeUndefined()
  })

  test.each([
    ['who was not invited', 'unknown', async () => undefined, {}],
    [
      'whose address is not verified',
      'unknown',
      async (email: string) => void (await invite(usersOf(invited), email)),
      { email_verified: false },
    ],
    [
      'whom two accounts have invited',
      'ambiguous',
      async (email: string) => {
        for (const _owner of ['one', 'two']) await invite(usersOf(invited), email)
      },
      {},
    ],
    [
      'who is disabled',
      'disabled',
      async (email: string) => {
        const { id } = await invite(usersOf(invited), email)
        await disableUser(invited.runtime.as({ kind: 'system' }), { user: id })
      },
      {},
    ],
    [
      'whose account is disabled',
      'account',
      async (email: string) => {
        const { owner } = await invite(usersOf(invited), email)
        await invited.runtime.db.pool.query('update account set disabled_at = now() where id = $1', [owner.account])
      },
      {},
    ],
  ])('%s does not come in, and the page says why', async (_who, refused, prepare, claims) => {
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login), ...claims })
    await prepare(emailOf(login))
    const { page, me, browser } = await enter(invited, login)
    expect([page, me, browser.cookies(invited.url)]).toEqual([signInPage(invited, refused), null, ''])
  })

  test.each([
    ['user', (other: Invited) => disableUser(invited.runtime.as({ kind: 'system' }), { user: other.id })],
    [
      'account',
      ({ owner }: Invited) =>
        invited.runtime.db.pool.query('update account set disabled_at = now() where id = $1', [owner.account]),
    ],
  ])('comes in where another account has a disabled %s with the address', async (_what, disable) => {
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login) })
    await disable(await invite(usersOf(invited), emailOf(login)))
    const { id } = await invite(usersOf(invited), emailOf(login))
    expect((await enter(invited, login)).me?.user.id).toBe(id)
  })

  test('is not the next person to whom the provider gives the address', async () => {
    const [first, second] = [newLogin(), newLogin()]
    provider.people.set(first, { email: emailOf(first) })
    await invite(usersOf(invited), emailOf(first))
    expect((await enter(invited, first)).me).not.toBeNull()
    provider.people.set(second, { email: emailOf(first) })
    expect((await enter(invited, second)).page).toBe(signInPage(invited, 'unknown'))
  })

  test('who is removed at the provider cannot sign in again', async () => {
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login) })
    await invite(usersOf(invited), emailOf(login))
    const { browser, me } = await enter(invited, login)
    const { rows } = await invited.runtime.db.pool.query<{ hours: number }>(
      `select round(extract(epoch from expires_at - created_at) / 3600)::integer as hours from session where user_id = $1`,
      [me!.user.id],
    )
    expect(rows).toEqual([{ hours: 24 }])
    provider.people.delete(login)
    await invited.runtime.db.pool.query('delete from session where user_id = $1', [me!.user.id])
    for (const tried of [browser, new SignInBrowser()]) {
      const page = await tried.signIn(invited.url, login)
      expect([page === `${invited.url}/console/sign-in`, await meOf(invited, tried)]).toEqual([false, null])
    }
  })
})

describe('a person who joins OIDC_ACCOUNT', () => {
  const person = (...groups: string[]) => {
    const login = newLogin()
    provider.people.set(login, { email: emailOf(login), groups })
    return login
  }

  test('is added at the first sign-in, with the role of the claim, which follows the provider', async () => {
    await usersOf(joined).user('owner', account)
    const login = person('others', 'voice-users')
    const first = (await enter(joined, login)).me!
    expect(first).toMatchObject({ accountId: account, user: { email: emailOf(login), role: 'MEMBER' } })
    provider.people.set(login, { email: emailOf(login), groups: ['voice-users', 'voice-admins'] })
    expect((await enter(joined, login)).me).toMatchObject({ user: { id: first.user.id, role: 'OWNER' } })
    provider.people.set(login, { email: emailOf(login), groups: ['voice-users'] })
    expect((await enter(joined, login)).me).toMatchObject({ user: { id: first.user.id, role: 'MEMBER' } })
    const { rows } = await joined.runtime.db.pool.query(
      `select action, detail from audit_entry where subject_id = $1 order by id`,
      [first.user.id],
    )
    expect(rows).toEqual([
      { action: 'user_added', detail: 'member' },
      { action: 'user_federated', detail: null },
      { action: 'user_role_changed', detail: 'owner, by the sign-in provider' },
      { action: 'user_role_changed', detail: 'member, by the sign-in provider' },
    ])
  })

  test('stays out without a role, and loses the sessions that are there', async () => {
    expect((await enter(joined, person('others'))).page).toBe(signInPage(joined, 'role'))
    const login = person('voice-users')
    const { browser } = await enter(joined, login)
    provider.people.set(login, { email: emailOf(login) })
    expect((await enter(joined, login)).page).toBe(signInPage(joined, 'role'))
    expect(await meOf(joined, browser)).toBeNull()
  })

  test('stays an owner as the last one of the account', async () => {
    await joined.runtime.db.pool.query(`update "user" set role = 'member' where account_id = $1`, [account])
    const login = person('voice-admins')
    expect((await enter(joined, login)).me).toMatchObject({ user: { role: 'OWNER' } })
    provider.people.set(login, { email: emailOf(login), groups: ['voice-users'] })
    expect((await enter(joined, login)).me).toMatchObject({ user: { role: 'OWNER' } })
  })

  test('is an owner no more after a refusal, so the account never loses its last one', async () => {
    const [refused, last] = [person('voice-admins'), person('voice-admins')]
    const first = (await enter(joined, refused)).me!
    await joined.runtime.db.pool.query(`update "user" set role = 'member' where account_id = $1 and id <> $2`, [
      account,
      first.user.id,
    ])
    await enter(joined, last)
    provider.people.set(refused, { email: emailOf(refused) })
    provider.people.set(last, { email: emailOf(last), groups: ['voice-users'] })
    for (const _time of ['first', 'second'])
      expect((await enter(joined, refused)).page).toBe(signInPage(joined, 'role'))
    expect((await enter(joined, last)).me).toMatchObject({ user: { role: 'OWNER' } })
    const { rows } = await joined.runtime.db.pool.query(
      `select detail from audit_entry where subject_id = $1 and action = 'user_role_changed'`,
      [first.user.id],
    )
    expect(rows).toEqual([{ detail: 'member, by the sign-in provider' }])
  })

  test('is one user when two tabs sign in for the first time at once', async () => {
    const login = person('voice-users')
    const tabs = await Promise.all([enter(joined, login), enter(joined, login)])
    expect(new Set(tabs.map(({ me }) => me?.user.id)).size).toBe(1)
    expect(tabs[0]!.me).not.toBeNull()
  })

  test('has no part in another account whose user has the address', async () => {
    const users = usersOf(joined)
    const other = await users.user()
    const login = newLogin()
    provider.people.set(login, { email: other.email, groups: ['voice-users'] })
    expect((await enter(joined, login)).me).toMatchObject({ accountId: account })
    expect(codeOf(await users.signIn(other.email))).toBeUndefined()
  })
})

describe('the addresses of the sign-in', () => {
  test('send state, nonce, challenge and the exact redirect URI, in a cookie of this browser alone', async () => {
    const reply = await call(`${invited.url}/console/oidc?to=/console/jobs`)
    const asked = Object.fromEntries(new URL(reply.headers.location!).searchParams)
    expect([reply.status, reply.headers['cache-control']]).toEqual([302, 'no-store'])
    expect(asked).toEqual({
      client_id: 'sonant',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${invited.url}/console/oidc/callback`,
      response_type: 'code',
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    const port = new URL(invited.url).port
    expect(reply.headers['set-cookie']).toMatch(
      new RegExp(`^sonant_oidc_[\\w-]{8}_${port}=[\\w-]+; Path=/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$`),
    )
  })

  test.each(['//evil.example/x', 'https://evil.example', '/\\evil.example', '/console/../../evil'])(
    'lead to the own sign-in page alone, also with %s',
    async (to) => {
      const login = newLogin()
      provider.people.set(login, { email: emailOf(login) })
      await invite(usersOf(invited), emailOf(login))
      const page = await new SignInBrowser().signIn(invited.url, login, `?to=${encodeURIComponent(to)}`)
      const { origin, pathname, searchParams } = new URL(page)
      expect([origin, pathname, searchParams.get('to')]).toEqual([invited.url, '/console/sign-in', to])
    },
  )

  test('are missing where no provider is named, and the screen learns of none', async () => {
    const plain = await startTestRuntime()
    try {
      expect((await call(`${plain.url}/console/oidc/callback?code=x`)).status).toBe(404)
      expect((await usersOf(plain).ask('{ signInProvider { name } }')).data).toEqual({ signInProvider: null })
      expect((await usersOf(invited).ask('{ signInProvider { name } }')).data).toEqual({
        signInProvider: { name: 'Acme' },
      })
    } finally {
      await plain.close()
    }
  })
})

describe('a provider that is away', () => {
  test.each(['refuses connections', 'never answers'])(
    'and %s is said on the page within its time limit; passwords go on working',
    async (how) => {
      const server = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      if (how === 'refuses connections') await new Promise((resolve) => server.close(resolve))
      const service = await startTestRuntime({ env: { OIDC_ISSUER: `http://127.0.0.1:${port}`, ...CLIENT } })
      try {
        const user = await usersOf(service).user()
        expect(await new SignInBrowser().follow(`${service.url}/console/oidc`)).toBe(signInPage(service, 'away'))
        expect(codeOf(await usersOf(service).signIn(user.email))).toBeUndefined()
      } finally {
        await service.close()
        server.close()
      }
    },
  )
})

describe('an answer of the provider', () => {
  let forger: Forger
  let service: TestRuntime
  beforeAll(async () => {
    forger = await startForger({ email: 'forged@acme.example' })
    service = await startTestRuntime({ env: { OIDC_ISSUER: forger.issuer, ...CLIENT } })
    await invite(usersOf(service), 'forged@acme.example')
  })
  afterAll(async () => {
    await service?.close()
    await forger?.close()
  })
  const now = () => Math.floor(Date.now() / 1000)
  const land = async (forgery: Forgery) => {
    forger.forge(forgery)
    const browser = new SignInBrowser()
    const page = await browser.follow(`${service.url}/console/oidc`)
    return { page, browser, me: await meOf(service, browser) }
  }

  test.each<[string, () => Forgery]>([
    ['is right', () => ({})],
    ['names the service among others', () => ({ claims: { aud: ['sonant', 'other'], azp: 'sonant' } })],
    ['expired half a minute ago by another clock', () => ({ claims: { iat: now() - 330, exp: now() - 30 } })],
    ['is of half a minute from now', () => ({ claims: { iat: now() + 30 } })],
  ])('that %s signs in', async (_what, forgery) => {
    const { page, me } = await land(forgery())
    expect([page, me?.user.email]).toEqual([`${service.url}/console/sign-in`, 'forged@acme.example'])
  })

  test.each<[string, () => Forgery]>([
    ['is not signed', () => ({ header: { alg: 'none' }, key: null })],
    ['is signed with another key', () => ({ key: OTHER_KEYS.privateKey })],
    ['names a key that is not there', () => ({ header: { alg: 'RS256', kid: 'two' }, key: OTHER_KEYS.privateKey })],
    ['is for another client', () => ({ claims: { aud: 'other' } })],
    ['is for this client by the party of another', () => ({ claims: { aud: ['sonant', 'other'], azp: 'other' } })],
    ['is of another issuer', () => ({ claims: { iss: 'https://other.example/' } })],
    ['has another nonce', () => ({ claims: { nonce: 'of another sign-in' } })],
    ['has no nonce', () => ({ claims: { nonce: undefined } })],
    ['expired two minutes ago', () => ({ claims: { iat: now() - 420, exp: now() - 120 } })],
    ['has no subject', () => ({ claims: { sub: undefined } })],
    ['has another state', () => ({ answer: { state: 'of another sign-in' } })],
    ['comes from another issuer, mixed up', () => ({ answer: { iss: 'https://other.example/' } })],
    ['is an error', () => ({ answer: { error: 'server_error' } })],
  ])('that %s signs nobody in', async (_what, forgery) => {
    const { page, me, browser } = await land(forgery())
    expect([page, me]).toEqual([signInPage(service, 'failed'), null])
    expect(browser.cookies(service.url)).not.toContain('sonant_session')
  })

  /** The first sign-in of an invited person, with `email_verified` of the ID token and of userinfo. @returns whether they came in */
  const joins = async (at: TestRuntime, inToken?: boolean, inUserinfo?: boolean) => {
    const email = emailOf(newLogin())
    const { id } = await invite(usersOf(at), email)
    const claims = { sub: email, email, email_verified: inToken }
    forger.forge({ claims, userinfo: { sub: email, email_verified: inUserinfo } })
    const browser = new SignInBrowser()
    await browser.follow(`${at.url}/console/oidc`)
    return (await meOf(at, browser))?.user.id === id
  }

  test('has its address verified by the ID token or by userinfo', async () => {
    expect(await joins(service, undefined, true)).toBe(true)
    expect(await joins(service, undefined, false)).toBe(false)
    expect(await joins(service)).toBe(false)
    expect(await joins(service, false, true)).toBe(false)
  })

  test('needs no verified address with OIDC_EMAILS=trusted', async () => {
    const trusting = await startTestRuntime({
      env: { OIDC_ISSUER: forger.issuer, ...CLIENT, OIDC_EMAILS: 'trusted' },
    })
    try {
      expect(await joins(trusting)).toBe(true)
      expect(await joins(trusting, false)).toBe(true)
    } finally {
      await trusting.close()
    }
  })

  test('that the person has cancelled is said so', async () => {
    expect((await land({ answer: { error: 'access_denied' } })).page).toBe(signInPage(service, 'cancelled'))
  })

  test('of each of several tabs signs in, and a foreign one disturbs none', async () => {
    forger.forge({})
    const browser = new SignInBrowser()
    const begin = async () => (await browser.open(`${service.url}/console/oidc`)).headers.location!
    const tabs = [await begin(), await begin()]
    const before = forger.exchanges.length
    const foreign = await browser.follow(`${service.url}/console/oidc/callback?code=x&state=x`)
    expect([foreign, forger.exchanges.length]).toEqual([signInPage(service, 'failed'), before])
    for (const tab of tabs) expect(await browser.follow(tab)).toBe(`${service.url}/console/sign-in`)
    expect(browser.cookies(service.url)).not.toContain('sonant_oidc')
    for (let count = 0; count < 5; count++) await begin()
    expect(browser.cookies(service.url).match(/sonant_oidc/g)).toHaveLength(3)
    expect(await browser.follow(await begin())).toBe(`${service.url}/console/sign-in`)
  })

  test('costs the provider little: one discovery, and few exchanges of codes that one site made up', async () => {
    const env = { OIDC_ISSUER: forger.issuer, ...CLIENT, TRUSTED_PROXIES: '127.0.0.0/8' }
    const busy = await startTestRuntime({ env })
    try {
      forger.forge({})
      const before = [forger.discoveries(), forger.exchanges.length] as const
      const pending = { state: 'invented', nonce: 'n', verifier: 'v', maxAgeSeconds: null, to: '' }
      const value = Buffer.from(JSON.stringify(pending)).toString('base64url')
      const cookie = `sonant_oidc_invented_${new URL(busy.url).port}=${value}`
      const answer = new URLSearchParams({ code: 'x', state: 'invented', iss: forger.issuer })
      const invent = (_: unknown, host: number) =>
        call(`${busy.url}/console/oidc/callback?${answer}`, {
          headers: { cookie, 'x-forwarded-for': `2001:db8:1:${host}::1` },
        })
      const replies = await Promise.all(Array.from({ length: 45 }, invent))
      const refused = replies.filter(({ headers }) => headers.location === signInPage(busy, 'away'))
      expect([refused.length, forger.exchanges.length - before[1]]).toEqual([5, 40])
      expect(await new SignInBrowser().follow(`${busy.url}/console/oidc`)).toBe(signInPage(busy, 'unknown'))
      expect(forger.discoveries() - before[0]).toBe(1)
    } finally {
      await busy.close()
    }
  })

  test('counts once, and in the browser that began alone', async () => {
    forger.forge({})
    const [mine, foreign] = [new SignInBrowser(), new SignInBrowser()]
    const asked = await mine.open(`${service.url}/console/oidc`)
    const pending = mine.cookies(service.url)
    const answered = await call(asked.headers.location!)
    const answer = answered.headers.location!
    expect(await foreign.follow(answer)).toBe(signInPage(service, 'failed'))
    expect(await mine.follow(answer)).toBe(`${service.url}/console/sign-in`)
    expect(await mine.follow(answer)).toBe(signInPage(service, 'failed'))
    // The cookie was stolen as well: the code has been used.
    const before = forger.exchanges.length
    const again = await call(answer, { headers: { cookie: pending } })
    expect([again.headers.location, forger.exchanges.length - before]).toEqual([signInPage(service, 'failed'), 1])
    expect(again.headers['set-cookie']).not.toContain('sonant_session')
  })
})
