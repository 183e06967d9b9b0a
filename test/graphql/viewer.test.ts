import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../src/users/update-user.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { insertVoice } from '../setup/jobs/library.ts'
import { ask, codeOf } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type Users, usersOf } from '../setup/service/users.ts'

const IN_ANY_ANSWER = ['scopes', 'isOperator']
const READER = ['account', 'endpoints', 'jobs', 'jobStats', 'jobSeries']
const LIBRARY = ['voices', 'lexicon']
const ADMIN = [
  ...['webhook', 'deliveries', 'webhookStats', 'apiKeys', 'users', 'grantableScopes'],
  ...['creditEntries', 'creditDays', 'auditEntries'],
]

/** All that a dashboard's page asks of the viewer. */
const PAGE = `query Page($from: DateTime!) { viewer {
  scopes isOperator
  account { id credits }
  apiKey { id name scopes hint expiresAt }
  user { id email role }
  webhook { url secrets { id } }
  voices { id name }
  deliveries(first: 2, filter: { states: [FAILED] }) { totalCount edges { node { id } } }
  webhookStats { failed }
  apiKeys(first: 2) { edges { node { id } } }
  users { edges { node { id } } }
  grantableScopes { name }
  creditEntries { edges { node { amount } } }
  creditDays(from: $from) { granted }
  auditEntries { edges { node { id } } }
  lexicon { entries { alias } }
  endpoints { slug }
  jobs(first: 1) { totalCount edges { node { id } } }
  jobStats(groupBy: STATUS) { jobs }
  jobSeries(from: $from, step: DAY) { points { at } }
} }`

type Viewer = Readonly<Record<string, unknown>>

let service: TestRuntime
let users: Users
let account: string
let voice: string
let job: string
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  account = await service.createAccount()
  voice = await insertVoice(service.runtime.db, account)
  job = await insertJob(service.runtime.db, account)
})
afterAll(() => service?.close())

const variables = () => ({ from: new Date(Date.now() - 3_600_000).toISOString() })
const keyWith = (scopes?: readonly string[]) => service.createKey(account, scopes)

async function pageOfKey(scopes?: readonly string[]) {
  const { apiKey, apiKeyId } = await keyWith(scopes)
  return { ...(await ask<{ viewer: Viewer | null }>(service.url, apiKey, PAGE, variables())), apiKeyId }
}

async function pageOfUser(role: 'owner' | 'member', isOperator = false) {
  const user = await users.user(role, account)
  if (isOperator) await setOperator(service.runtime.as({ kind: 'system' }), { user: user.id, operator: true })
  const cookie = isOperator ? (await users.signIn(user.email)).cookie : user.cookie
  const { data, errors } = await users.ask(PAGE, variables(), cookie)
  return { data: data as { viewer: Viewer | null } | null, errors, user }
}

const shownIn = (viewer: Viewer | null | undefined) =>
  Object.entries(viewer ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]))

describe('one page, asked of the viewer', () => {
  test.each([
    ['a default key', undefined, READER],
    ['a key without any scope', [], []],
    ['a key with account:admin alone', ['account:admin'], ['account', ...ADMIN]],
    ['a key with voice:library alone', ['voice:library'], LIBRARY],
    ['an operator key', ['operator'], []],
  ] as const)('shows %s what it may read and itself, and no error', async (_title, scopes, shown) => {
    const { data, errors, apiKeyId } = await pageOfKey(scopes)
    expect(errors).toBeUndefined()
    expect(shownIn(data!.viewer).sort()).toEqual([...IN_ANY_ANSWER, 'apiKey', ...shown].sort())
    const granted: readonly string[] = scopes ?? ['generate:voice', 'job:read']
    expect(data!.viewer).toMatchObject({ scopes: granted, isOperator: granted.includes('operator') })
    const itself = {
      id: apiKeyId,
      name: expect.any(String),
      scopes: granted,
      hint: expect.any(String),
      expiresAt: null,
    }
    expect(data!.viewer!.apiKey).toEqual(itself)
  })

  test.each([
    ['a member', 'member', false, [...READER, ...LIBRARY]],
    ['an owner', 'owner', false, [...READER, ...LIBRARY, ...ADMIN]],
    ['an operator', 'owner', true, [...READER, ...LIBRARY, ...ADMIN]],
  ] as const)(
    'shows %s who is signed in what they may read and themselves',
    async (_title, role, isOperator, shown) => {
      const { data, errors, user } = await pageOfUser(role, isOperator)
      expect(errors).toBeUndefined()
      expect(shownIn(data!.viewer).sort()).toEqual([...IN_ANY_ANSWER, 'user', ...shown].sort())
      expect(data!.viewer).toMatchObject({
        isOperator,
        account: { id: account },
        user: { id: user.id, email: user.email, role: role.toUpperCase() },
        voices: [{ id: voice }],
        jobs: { totalCount: 1, edges: [{ node: { id: job } }] },
      })
    },
  )

  test('is null for nobody, without an error', async () => {
    expect(await ask(service.url, null, PAGE, variables())).toEqual({ data: { viewer: null } })
  })
})

describe('a field of the viewer', () => {
  test('is the only one that is missing when its arguments are wrong', async () => {
    const { apiKey } = await keyWith(['account:admin'])
    const answer = await ask(
      service.url,
      apiKey,
      '{ viewer { apiKeys(first: 0) { edges { cursor } } webhook { url } } }',
    )
    expect(answer.data).toEqual({ viewer: { apiKeys: null, webhook: { url: null } } })
    expect([codeOf(answer), answer.errors![0]!.path]).toEqual(['INVALID_REQUEST', ['viewer', 'apiKeys']])
  })

  test('is null with an error when the database fails, so that null alone says that the caller may not', async () => {
    const { pool } = service.runtime.db
    const { cookie } = await users.user('owner', account)
    await pool.query('alter table account_voice rename to account_voice_gone')
    try {
      const { data, errors } = await users.ask('{ viewer { voices { id } account { id } } }', {}, cookie)
      expect(data).toEqual({ viewer: { voices: null, account: { id: account } } })
      expect([errors?.[0]?.extensions.code, errors?.[0]?.path]).toEqual(['INTERNAL_ERROR', ['viewer', 'voices']])
    } finally {
      await pool.query('alter table account_voice_gone rename to account_voice')
    }
  })

  test('narrows deliveries by the same filter as subscriptions', async () => {
    const { apiKey } = await keyWith(['account:admin'])
    const document = '{ viewer { deliveries(filter: { jobId: "nonsense" }) { totalCount } webhook { url } } }'
    const answer = await ask(service.url, apiKey, document)
    expect(answer.data).toEqual({ viewer: { deliveries: null, webhook: { url: null } } })
    expect(codeOf(answer)).toBe('INVALID_REQUEST')
  })

  test('reads the account of the caller alone, also for an operator', async () => {
    const { apiKey } = await keyWith(['operator', 'account:admin'])
    const answer = await ask(service.url, apiKey, `{ viewer { apiKeys(account: "${account}") { edges { cursor } } } }`)
    expect(answer.errors![0]!.message).toContain('Unknown argument "account"')
  })
})

describe('a key that reads itself', () => {
  const ITSELF = 'query ($id: ID!) { viewer { apiKey { id createdBy { email } } } node(id: $id) { id } }'

  test('does not learn who made it without account:admin', async () => {
    const owner = await users.user('owner', account)
    const make = (scopes: string) => `mutation { createApiKey(name: "made", scopes: ${scopes}) {
      ... on NewApiKey { apiKey apiKeyId } } }`
    for (const [scopes, createdBy] of [
      ['["job:read"]', null],
      ['["account:admin"]', { email: owner.email }],
    ] as const) {
      const { data } = await users.ask(make(scopes), {}, owner.cookie)
      const { apiKey, apiKeyId: id } = data!.createApiKey as { apiKey: string; apiKeyId: string }
      const answer = await ask(service.url, apiKey, ITSELF, { id })
      expect(answer).toEqual({ data: { viewer: { apiKey: { id, createdBy } }, node: { id } } })
    }
  })
})
