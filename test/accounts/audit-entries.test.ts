import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../src/accounts/credit-account.ts'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { endpoint } from '../setup/jobs/fixtures.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { ask, codeOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../setup/service/users.ts'

interface Entry {
  readonly id: string
  readonly action: string
  readonly accountId: string | null
  readonly subjectId: string | null
  readonly subjectName: string | null
  readonly detail: string | null
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string | null }
}
interface Page {
  readonly auditEntries: { readonly edges: { readonly node: Entry }[] }
}

let service: TestRuntime
let users: Users
let owner: SignedInUser
/** An operator of another account. */
let operator: { readonly account: string; readonly key: string }
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  owner = await users.user('owner')
  const account = await service.createAccount()
  operator = { account, key: (await service.createKey(account, ['account:admin', 'operator'])).apiKey }
})
afterAll(() => service?.close())

const NODE = 'id action accountId subjectId subjectName detail by { kind id: callerId name }'
const list = (args = '') => `{ auditEntries${args} { edges { node { ${NODE} } } } }`
const entriesOf = ({ auditEntries }: Page): Entry[] => auditEntries.edges.map(({ node }) => node)
const mine = async (args = '') =>
  entriesOf((await users.ask(list(args), {}, owner.cookie)).data as unknown as Page).toReversed()
/** Acts as a signed-in user. @returns the raw result */
const act = async <T>(field: string, fields: string): Promise<T> => {
  const { data, errors } = await users.ask(mutation(field, fields), {}, owner.cookie)
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return Object.values(data ?? {})[0] as T
}

describe('auditEntries', () => {
  test('lists what a user changed, with name and id, and none of the secrets that went with it', async () => {
    const before = (await mine()).length
    const key = await act<{ apiKeyId: string; apiKey: string }>(
      'createApiKey(name: "ci", scopes: ["job:read"])',
      '... on NewApiKey { apiKeyId apiKey }',
    )
    await act(`updateApiKey(id: "${key.apiKeyId}", name: "cd")`, '')
    await act(`deleteApiKey(id: "${key.apiKeyId}")`, '')
    const { secret } = await act<{ secret: string }>(
      'rotateWebhookSecret',
      '... on RotateWebhookSecretSuccess { secret }',
    )
    await act('setWebhookUrl(url: "https://hooks.example.org/token-1234")', '')
    const invited = await act<{ user: { id: string }; signInLink: { url: string } }>(
      'inviteUser(email: "new@example.org", role: MEMBER)',
      '... on Invitation { user { id } signInLink { url } }',
    )
    // A repeated change is none.
    for (const change of ['updateUser(role: OWNER, user:', 'disableUser(user:', 'enableUser(user:'])
      for (const _time of [1, 2]) await act(`${change} "${invited.user.id}")`, '')
    const jobId = await insertJob(service.runtime.db, owner.account)
    await act(`deleteJob(jobId: "${jobId}")`, '')
    const entries = (await mine()).slice(before)
    const user = [invited.user.id, 'new@example.org']
    expect(
      entries.map(({ action, subjectId, subjectName, detail }) => [action, subjectId, subjectName, detail]),
    ).toEqual([
      ['KEY_CREATED', key.apiKeyId, 'ci', 'job:read'],
      ['KEY_UPDATED', key.apiKeyId, 'cd', 'job:read'],
      ['KEY_DELETED', key.apiKeyId, 'cd', null],
      ['WEBHOOK_SECRET_ROTATED', null, null, null],
      ['WEBHOOK_URL_SET', null, null, 'https://hooks.example.org'],
      ['USER_ADDED', ...user, 'member'],
      ['USER_ROLE_CHANGED', ...user, 'owner'],
      ['USER_DISABLED', ...user, null],
      ['USER_ENABLED', ...user, null],
      ['JOB_DELETED', jobId, null, null],
    ])
    for (const { by, accountId } of entries) {
      expect([accountId, by]).toEqual([owner.account, { kind: 'USER', id: owner.id, name: owner.email }])
    }
    const { rows } = await service.runtime.db.pool.query('select audit_entry::text from audit_entry')
    const kept = JSON.stringify(rows)
    for (const hidden of [key.apiKey, secret, 'token-1234', invited.signInLink.url.split('#')[1] ?? '']) {
      expect(kept).not.toContain(hidden)
    }
  })

  test('is written with its change or not at all', async () => {
    const before = await mine()
    const system = service.runtime.as({ kind: 'system' })
    await expect(creditAccount(system, { account: owner.account, amount: -9_000_000n })).rejects.toThrow()
    expect(codeOf(await users.ask(mutation('deleteApiKey(id: "key_none")', ''), {}, owner.cookie))).toBe('NOT_FOUND')
    expect(await mine()).toEqual(before)
    await service.runtime.db.pool.query(
      `create function no_audit() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$;
       create trigger no_audit before insert on audit_entry for each row execute function no_audit()`,
    )
    try {
      await expect(creditAccount(system, { account: owner.account, amount: 5n })).rejects.toThrow()
      expect(await read(service.url, operator.key, `{ account(account: "${owner.account}") { credits } }`)).toEqual({
        account: { credits: 1_000_000 },
      })
    } finally {
      await service.runtime.db.pool.query('drop function no_audit cascade')
    }
  })

  test('shows an operator by no name to owners, to operators all accounts and the installation', async () => {
    const grant = mutation(`creditAccount(account: "${owner.account}", amount: 7)`, '')
    expect((await ask(service.url, operator.key, grant)).errors).toBeUndefined()
    const [seen] = (await mine('(last: 1, actions: [CREDITS_GRANTED])')).slice(-1)
    const hidden = { action: 'CREDITS_GRANTED', detail: '7', by: { kind: 'OPERATOR', id: null, name: null } }
    expect(seen).toMatchObject(hidden)
    await applyEndpoints(service.runtime.as({ kind: 'system' }), {
      source: JSON.stringify({ endpoints: [endpoint('audited', { engine: { kind: 'espeak' } })] }),
      readAudio: async () => new Uint8Array(),
    })
    const all = entriesOf(await read<Page>(service.url, operator.key, list('(all: true, first: 2)')))
    expect(all).toMatchObject([
      { action: 'ENDPOINT_APPLIED', accountId: null, subjectId: 'audited', by: { kind: 'OPERATOR' } },
      { action: 'CREDITS_GRANTED', accountId: owner.account, by: { kind: 'KEY', name: 'test' } },
    ])
    const one = entriesOf(await read<Page>(service.url, operator.key, list(`(account: "${owner.account}", first: 1)`)))
    expect(one).toMatchObject([{ action: 'CREDITS_GRANTED' }])
    const node = (id: string) => `{ node(id: "${id}") { ... on AuditEntry { action } } }`
    expect(await read(service.url, operator.key, node(all[0]!.id))).toEqual({ node: { action: 'ENDPOINT_APPLIED' } })
    expect((await users.ask(node(all[0]!.id), {}, owner.cookie)).data).toEqual({ node: null })
  })

  test('is for owners of the account and for operators alone', async () => {
    const otherOwner = await users.user('owner')
    const [entry] = await mine()
    const theirs = (await users.ask(list(), {}, otherOwner.cookie)).data as unknown as Page
    expect(entriesOf(theirs).every(({ accountId }) => accountId === otherOwner.account)).toBe(true)
    const node = `{ node(id: "${entry!.id}") { id } }`
    expect((await users.ask(node, {}, otherOwner.cookie)).data).toEqual({ node: null })
    const foreign = [list(`(account: "${owner.account}")`), list('(all: true)')]
    for (const query of foreign) expect(codeOf(await users.ask(query, {}, otherOwner.cookie))).toBe('FORBIDDEN')
    const member = await users.user('member', owner.account)
    expect(codeOf(await users.ask(list(), {}, member.cookie))).toBe('FORBIDDEN')
    const { key } = await service.createCaller()
    expect(codeOf(await ask(service.url, key, list()))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, list()))).toBe('UNAUTHORIZED')
    for (const bad of ['(actions: [])', '(after: "audit_x")', '(first: 101)'])
      expect(codeOf(await users.ask(list(bad), {}, owner.cookie))).toBe('INVALID_REQUEST')
    expect(codeOf(await ask(service.url, operator.key, list(`(all: true, account: "${owner.account}")`)))).toBe(
      'INVALID_REQUEST',
    )
  })
})

describe('a window of auditEntries', () => {
  const DAYS = ['2001-03-01', '2001-03-02', '2001-03-03', '2001-03-04'] as const
  const windowOf = (from: string | null, to: string | null) =>
    `createdAt: { ${[from && `from: "${from}T00:00:00Z"`, to && `to: "${to}T00:00:00Z"`].filter(Boolean).join(', ')} }`
  let account: string
  beforeAll(async () => {
    account = await service.createAccount()
    for (const day of DAYS)
      await service.runtime.db.pool.query(
        `insert into audit_entry (account_id, action, subject_name, actor_kind, created_at) values ($1, 'key_created', $2::text, 'operator', $2::text::timestamptz)`,
        [account, `${day}T00:00:00Z`],
      )
  })

  const daysOf = async (args: string) => {
    const page = entriesOf(await read<Page>(service.url, operator.key, list(`(${args})`)))
    return page.map(({ subjectName }) => subjectName?.slice(0, 10))
  }

  test.each([
    // Those of all accounts are in the order of time, however they were written.
    ['of an account', () => `account: "${account}"`, ', first: 2'],
    ['of all accounts', () => 'all: true', ', last: 2'],
  ])(
    '%s has its first moment and not its last, with the action and the page that are asked for',
    async (_, whose, two) => {
      const of = (from: string | null, to: string | null, more = '') =>
        daysOf(`${whose()}, ${windowOf(from, to)}${more}`)
      expect(await of(DAYS[1], DAYS[3])).toEqual([DAYS[2], DAYS[1]])
      expect(await of(null, DAYS[1])).toEqual([DAYS[0]])
      expect(await of(DAYS[2], null, two)).toEqual([DAYS[3], DAYS[2]])
      expect(await of(DAYS[1], DAYS[1])).toEqual([])
      expect(await of(DAYS[1], DAYS[3], ', actions: [KEY_DELETED]')).toEqual([])
      expect(await of(DAYS[0], DAYS[3], ', first: 2')).toEqual([DAYS[2], DAYS[1]])
      expect(await of(DAYS[0], DAYS[3], ', last: 2')).toEqual([DAYS[1], DAYS[0]])
      const [first] = entriesOf(
        await read<Page>(service.url, operator.key, list(`(${whose()}, ${windowOf(DAYS[2], DAYS[3])})`)),
      )
      expect(await of(DAYS[0], DAYS[3], `, after: "${first!.id}"`)).toEqual([DAYS[1], DAYS[0]])
      const backwards = await ask(service.url, operator.key, list(`(${whose()}, ${windowOf(DAYS[3], DAYS[0])})`))
      expect(codeOf(backwards)).toBe('INVALID_REQUEST')
    },
  )
})

test('a caller has an identity in each entry: what is kept by ids keeps the names of then', async () => {
  const { account } = await users.user('owner')
  const { apiKey, apiKeyId } = await service.createKey(account, ['account:admin'])
  for (const name of ['first', 'second', 'third'])
    await read(service.url, apiKey, mutation(`updateApiKey(id: "${apiKeyId}", name: "${name}")`, ''))
  const { auditEntries } = await read<{
    auditEntries: { edges: { node: { by: { id: string; callerId: string; name: string } } }[] }
  }>(service.url, apiKey, '{ auditEntries(first: 3) { edges { node { by { id callerId name } } } } }')
  const callers = auditEntries.edges.map(({ node }) => node.by)
  expect(new Set(callers.map(({ callerId }) => callerId))).toEqual(new Set([apiKeyId]))
  const kept = new Map(callers.map((caller) => [caller.id, caller]))
  expect(callers.map(({ id }) => kept.get(id)?.name)).toEqual(callers.map(({ name }) => name))
  expect(kept.size).toBe(3)
})

describe('submittedBy of a job', () => {
  const SUBMIT = mutation(
    'submitVoiceJob(slug: "tts", inputs: { text: "Hi.", voice: "aria" })',
    '... on VoiceJobSubmission { jobId }',
  )
  interface Submitted {
    readonly submitVoiceJob: { readonly jobId: string }
  }
  const queryOf = ({ submitVoiceJob: { jobId } }: Submitted) =>
    `{ node(id: "${jobId}") { ... on VoiceJob { submittedBy { kind id: callerId name } } } }`

  test('names the key or the user, inside of the account alone', async () => {
    const { data } = await users.ask(SUBMIT, {}, owner.cookie)
    const byUser = queryOf(data as unknown as Submitted)
    const { apiKey, apiKeyId } = await service.createKey(owner.account)
    expect(await read(service.url, apiKey, byUser)).toEqual({
      node: { submittedBy: { kind: 'USER', id: owner.id, name: owner.email } },
    })
    const byKey = queryOf(await read<Submitted>(service.url, apiKey, SUBMIT))
    expect((await users.ask(byKey, {}, owner.cookie)).data).toEqual({
      node: { submittedBy: { kind: 'KEY', id: apiKeyId, name: 'test' } },
    })
    for (const query of [byUser, byKey]) {
      expect(await read(service.url, operator.key, query)).toEqual({ node: { submittedBy: null } })
    }
  })
})
