import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopesOf } from '../../src/access/scopes.ts'
import { createUser } from '../../src/users/create-user.ts'
import { call } from '../setup/http.ts'
import { endpoint } from '../setup/jobs/fixtures.ts'
import { idAt, insertJob } from '../setup/jobs/jobs.ts'
import { ask as askAt, codeOf, errorOf, type GraphqlAnswer, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'
import { usersOf } from '../setup/service/users.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

const ask = (key: string | null, query: string, variables: object = {}) => askAt(service.url, key, query, variables)

async function admin(scopes = ['account:admin'], credits?: bigint) {
  const account = await service.createAccount(credits)
  const { apiKey, apiKeyId } = await service.createKey(account, scopes)
  return { account, key: apiKey, keyId: apiKeyId }
}
const remove = (id: string) => mutation(`deleteApiKey(id: "${id}")`, '... on DeleteApiKeySuccess { apiKeyId }')
const again = (id: string) => mutation(`retryJob(jobId: "${id}")`, '... on RetryJobSuccess { jobId job { id status } }')
const operator = () => admin(['operator'])

describe('an account', () => {
  test.each([
    '{ apiKeys { edges { node { id } } } }',
    '{ creditEntries { edges { node { id } } } }',
    'mutation { createApiKey(name: "x") { __typename } }',
    'mutation { updateApiKey(id: "key_x", name: "y") { __typename } }',
    'mutation { deleteApiKey(id: "key_x") { __typename } }',
  ])('%s needs account:admin', async (query) => {
    const { key } = await service.createCaller()
    expect(codeOf(await ask(key, query))).toBe('FORBIDDEN')
    expect(codeOf(await ask(null, query))).toBe('UNAUTHORIZED')
  })

  test('makes keys that work at once, renames them, and deletes them at once', async () => {
    const { key } = await admin()
    const made = await ask(key, mutation('createApiKey(name: "robot")', '... on NewApiKey { apiKeyId apiKey scopes }'))
    const { apiKeyId, apiKey, scopes } = made.data!.createApiKey as {
      apiKeyId: string
      apiKey: string
      scopes: string[]
    }
    expect(scopes).toEqual(['generate:voice', 'job:read'])
    expect(codeOf(await ask(apiKey, '{ jobPage { total } }'))).toBeUndefined()
    const change = 'updateApiKey(id: $id, name: "droid", scopes: ["generate:voice"])'
    const updated = await ask(key, mutation(change, '... on ApiKey { name scopes }', '($id: ID!)'), { id: apiKeyId })
    expect(updated.data).toEqual({ updateApiKey: { name: 'droid', scopes: ['generate:voice'] } })
    expect(codeOf(await ask(apiKey, '{ jobPage { total } }'))).toBe('FORBIDDEN')
    const listed = await ask(key, '{ apiKeys(first: 1) { edges { node { id name } } } }')
    expect(listed.data).toEqual({ apiKeys: { edges: [{ node: { id: apiKeyId, name: 'droid' } }] } })
    expect(JSON.stringify(listed)).not.toContain(apiKey)
    expect((await ask(key, remove(apiKeyId))).data).toEqual({ deleteApiKey: { apiKeyId } })
    expect(codeOf(await ask(apiKey, '{ jobPage { total } }'))).toBe('UNAUTHORIZED')
  })

  test('gives no caller a scope that it does not have', async () => {
    const { account, key, keyId } = await admin()
    const studio = await service.createKey(account, ['voice:studio'])
    for (const scope of ['operator', 'voice:studio']) {
      const create = `mutation { createApiKey(name: "x", scopes: ["${scope}"]) { __typename } }`
      expect(codeOf(await ask(key, create))).toBe('FORBIDDEN')
      const update = `mutation { updateApiKey(id: "${keyId}", scopes: ["account:admin", "${scope}"]) { __typename } }`
      expect(codeOf(await ask(key, update))).toBe('FORBIDDEN')
    }
    const kept = `updateApiKey(id: "${studio.apiKeyId}", scopes: ["voice:studio", "job:read"])`
    expect((await ask(key, mutation(kept, '... on ApiKey { scopes }'))).data).toEqual({
      updateApiKey: { scopes: ['voice:studio', 'job:read'] },
    })
    const noScope = mutation('createApiKey(name: "x", scopes: ["No Scope"])', '')
    expect(codeOf(await ask(key, noScope))).toBe('INVALID_REQUEST')
  })

  test("another account's keys are not there", async () => {
    const [one, two] = [await admin(), await admin()]
    expect(codeOf(await ask(one.key, remove(two.keyId)))).toBe('NOT_FOUND')
    expect(codeOf(await ask(one.key, mutation(`updateApiKey(id: "${two.keyId}", name: "mine")`, '')))).toBe('NOT_FOUND')
    expect((await ask(two.key, '{ apiKeys { edges { node { id name } } } }')).data).toEqual({
      apiKeys: { edges: [{ node: { id: two.keyId, name: 'test' } }] },
    })
  })

  test('a signed-in owner does the same', async () => {
    const account = await service.createAccount()
    const user = { account, email: 'owner@example.org', password: 'correct horse battery', role: 'owner' as const }
    await createUser(service.runtime.as({ kind: 'system' }), user)
    const query = `mutation { signIn(email: "${user.email}", password: "${user.password}") { __typename } }`
    const url = `${service.url}/graphql`
    const signedIn = await call(url, { method: 'POST', body: { query } })
    const headers = { cookie: signedIn.headers['set-cookie']!.split(';')[0]!, origin: service.url }
    const create = 'mutation { createApiKey(name: "mine") { ... on NewApiKey { apiKey } } }'
    const made = (await call(url, { method: 'POST', headers, body: { query: create } })).json<
      GraphqlAnswer<Record<string, unknown>>
    >()
    const { apiKey } = made.data!.createApiKey as { apiKey: string }
    expect((await call(`${service.url}/api/v1/jobs`, { key: apiKey })).status).toBe(200)
  })

  test('names the scopes that it may give, makes keys that expire, and sees which of them is which', async () => {
    const users = usersOf(service)
    const owner = await users.user()
    const { data } = await users.ask('{ grantableScopes { name description } }', {}, owner.cookie)
    const { grantableScopes } = data as { grantableScopes: { name: string; description: string }[] }
    expect(grantableScopes.map(({ name }) => name)).toEqual(scopesOf('owner'))
    expect(new Set(grantableScopes.map(({ description }) => description)).size).toBe(grantableScopes.length)
    const create = mutation(
      'createApiKey(name: "robot", expiresAt: $at)',
      '... on NewApiKey { apiKeyId apiKey }',
      '($at: DateTime)',
    )
    const at = new Date(service.runtime.now().getTime() + 3_600_000).toISOString()
    const made = (await users.ask(create, { at }, owner.cookie)).data!.createApiKey as Record<string, string>
    const list = '{ apiKeys { edges { node { hint expiresAt createdBy { email } } } } }'
    expect((await users.ask(list, {}, owner.cookie)).data).toEqual({
      apiKeys: {
        edges: [{ node: { hint: made.apiKey!.slice(-4), expiresAt: at, createdBy: { email: owner.email } } }],
      },
    })
    const events = openSocketClient(service.url, made.apiKey!)
    const jobId = await insertJob(service.runtime.db, owner.account, { status: 'processing' })
    const followed = events.subscribe('subscription { jobsUpdated { id } }')
    await followed.waitFor((event) => JSON.stringify(event).includes(jobId))
    const age = `update api_key set expires_at = now() - interval '1 second' where id = $1`
    await service.runtime.db.pool.query(age, [made.apiKeyId])
    expect(codeOf(await ask(made.apiKey!, '{ jobPage { total } }'))).toBe('UNAUTHORIZED')
    expect(await events.closed()).toBe(4403)
    const past = await users.ask(create, { at: '2026-01-01T00:00:00Z' }, owner.cookie)
    expect(errorOf(past)?.details).toMatchObject([{ path: '/expiresAt' }])
    const { key } = await service.createCaller()
    expect(codeOf(await ask(key, '{ grantableScopes { name } }'))).toBe('FORBIDDEN')
  })

  test('sees its balance and its ledger, newest first', async () => {
    const { account, key } = await admin(['account:admin'], 100n)
    const { key: op } = await operator()
    for (const amount of [50, -30]) {
      await ask(op, mutation(`creditAccount(account: "${account}", amount: ${amount})`, '... on Account { credits }'))
    }
    expect((await ask(key, '{ account { id credits } }')).data).toEqual({ account: { id: account, credits: 120 } })
    const entries = '{ creditEntries { edges { node { kind amount } } } }'
    expect((await ask(key, entries)).data).toEqual({
      creditEntries: { edges: [-30, 50, 100].map((amount) => ({ node: { kind: 'GRANT', amount } })) },
    })
    type Ledger = { data: { creditEntries: { edges: { cursor: string; node: { balance: number } }[] } } | null }
    const balances = async (args: string) =>
      ((await ask(key, `{ creditEntries${args} { edges { cursor node { balance } } } }`)) as Ledger).data!.creditEntries
        .edges
    const all = await balances('')
    expect(all.map(({ node }) => node.balance)).toEqual([120, 150, 100])
    expect((await balances(`(after: "${all[0]!.cursor}", first: 1)`)).map(({ node }) => node.balance)).toEqual([150])
    expect(await balances('(kinds: [GRANT])')).toEqual(all)
    expect(await balances('(kinds: [CHARGE, REFUND])')).toEqual([])
    expect(await balances('(createdAt: {to: "2026-01-01T00:00:00Z"})')).toEqual([])
    expect(codeOf(await ask(key, '{ creditEntries(kinds: []) { edges { cursor } } }'))).toBe('INVALID_REQUEST')
  })
})

describe('a mutation', () => {
  test.each([
    ['createApiKey(name: "")', '/name'],
    ['createApiKey(name: "x", scopes: ["job:read", "Nonsense!"])', '/scopes/1'],
    ['updateApiKey(id: "key_x", name: " ")', '/name'],
    ['createAccount(name: "", credits: 1)', '/name'],
    ['createAccount(name: "taken", credits: 1)', '/name'],
    ['createAccount(name: "x", credits: -1)', '/credits'],
    ['creditAccount(account: "taken", amount: 0)', '/amount'],
    ['creditAccount(account: "taken", amount: -1000000)', '/amount'],
    ['setWebhookUrl(url: "https://127.0.0.1/")', '/url'],
    ['submitVoiceJob(slug: "tts", inputs: {text: "Hi", voice: "nobody"})', '/inputs/voice'],
    ['submitVoiceJob(slug: "tts", inputs: {}, idempotencyKey: "")', '/idempotencyKey'],
    ['submitVoiceJob(slug: "tts", inputs: {text: "Hi", voice: "aria"}, webhookUrl: "https://[::1]/")', '/webhookUrl'],
    ['tagMedia(mediaUrl: "https://10.0.0.1/a.png", mediaKind: IMAGE)', '/mediaUrl'],
    ['chatWithCompanion(message: "")', '/message'],
    ['applyEndpoints(source: "endpoints: 1")', 'line 1'],
  ])('%s is refused by the name of what is wrong: %s', async (field, path) => {
    const scopes = ['account:admin', 'operator', 'generate:voice', 'companion:chat', 'companion:media_tag']
    const { key } = await admin(scopes)
    await ask(key, mutation('createAccount(name: "taken", credits: 1)', '__typename'))
    const refusal = errorOf(await ask(key, mutation(field, '__typename')))
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path, message: expect.any(String) }] })
  })
})

describe('retryJob', () => {
  test('submits a failed job again as a new one, and leaves the old one as it is', async () => {
    const { account, key } = await service.createCaller()
    const jobId = await insertJob(service.runtime.db, account, { status: 'failed' })
    const inputs = JSON.stringify({ text: 'Once more.', voice: 'aria' })
    await service.runtime.db.pool.query('update job set inputs = $2, webhook_url = null where id = $1', [jobId, inputs])
    const { data } = await ask(key, again(jobId))
    const { retryJob } = data as { retryJob: { jobId: string; job: object } }
    const { rows } = await service.runtime.db.pool.query(
      `select id, status, inputs->>'text' as text from job where account_id = $1 order by id`,
      [account],
    )
    expect(retryJob.job).toEqual({ id: retryJob.jobId, status: 'QUEUED' })
    expect(rows).toEqual([
      { id: jobId, status: 'failed', text: 'Once more.' },
      { id: retryJob.jobId, status: 'queued', text: 'Once more.' },
    ])
  })

  test('makes one job for one idempotency key, and takes no key that came with anything else', async () => {
    const { account, key } = await service.createCaller()
    const { db } = service.runtime
    const inputs = { text: 'Once more.', voice: 'aria' }
    const failed = async () => {
      const jobId = await insertJob(db, account, { status: 'failed' })
      await db.pool.query('update job set inputs = $2, webhook_url = null where id = $1', [jobId, inputs])
      return jobId
    }
    const [one, other] = [await failed(), await failed()]
    const retry = (id: string, idempotencyKey: string) =>
      ask(
        key,
        mutation(
          'retryJob(jobId: $id, idempotencyKey: $idempotencyKey)',
          '... on RetryJobSuccess { jobId replayed }',
          '($id: ID!, $idempotencyKey: String)',
        ),
        { id, idempotencyKey },
      )
    const first = (await retry(one, 'again')).data?.retryJob as { jobId: string }
    expect(first).toMatchObject({ replayed: false })
    expect((await retry(one, 'again')).data).toEqual({ retryJob: { ...first, replayed: true } })
    expect(codeOf(await retry(other, 'again'))).toBe('IDEMPOTENCY_MISMATCH')
    const submit = mutation(
      'submitVoiceJob(slug: "tts", inputs: $inputs, idempotencyKey: "once")',
      '... on VoiceJobSubmission { jobId }',
      '($inputs: JSON!)',
    )
    await ask(key, submit, { inputs })
    expect(codeOf(await retry(one, 'once'))).toBe('IDEMPOTENCY_MISMATCH')
    expect(errorOf(await retry(one, ''))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/idempotencyKey' }],
    })
  })

  test('refuses what has not failed, what was not kept, and what is somebody else’s', async () => {
    const [{ account, key }, other] = [await service.createCaller(), await service.createCaller()]
    const retry = async (id: string) => codeOf(await ask(key, again(id)))
    const { db } = service.runtime
    expect(await retry(await insertJob(db, account, { status: 'completed' }))).toBe('INVALID_REQUEST')
    expect(await retry(await insertJob(db, account, { status: 'failed', type: 'companion_chat' }))).toBe(
      'INVALID_REQUEST',
    )
    expect(await retry(await insertJob(db, other.account, { status: 'failed' }))).toBe('NOT_FOUND')
    expect(await retry('nonsense')).toBe('NOT_FOUND')
  })
})

describe('the operator', () => {
  test.each([
    '{ accounts { edges { node { id } } } }',
    '{ failureCauses { cause } }',
    'mutation { createAccount(name: "x", credits: 1) { __typename } }',
    'mutation { creditAccount(account: "x", amount: 1) { __typename } }',
    'mutation { applyEndpoints(source: "{}") { __typename } }',
    'mutation { deleteEndpoint(slug: "tts") { __typename } }',
  ])('%s needs the scope operator', async (query) => {
    const { key } = await admin()
    expect(codeOf(await ask(key, query))).toBe('FORBIDDEN')
    expect(codeOf(await ask(null, query))).toBe('UNAUTHORIZED')
  })

  test('makes accounts and finds them page by page', async () => {
    const { key, account } = await operator()
    const made = await ask(
      key,
      mutation('createAccount(name: "Made by GraphQL", credits: 5)', '... on Account { id name credits }'),
    )
    expect(made.data!.createAccount).toMatchObject({ name: 'Made by GraphQL', credits: 5 })
    const page = await ask(key, `{ accounts(first: 1, after: "${account}") { edges { node { id } } } }`)
    const { id } = made.data!.createAccount as { id: string }
    expect(page.data).toEqual({ accounts: { edges: [{ node: { id } }] } })
  })

  test('applies and deletes endpoints, live at once, and reads no file of the machine', async () => {
    const { key } = await operator()
    const apply = mutation(
      'applyEndpoints(source: $source)',
      '... on ApplyEndpointsSuccess { slugs }',
      '($source: String!)',
    )
    const slugs = async () => JSON.stringify((await ask(null, '{ catalog { endpoints { slug } } }')).data)
    const source = JSON.stringify({ endpoints: [endpoint('remote')] })
    expect((await ask(key, apply, { source })).data).toEqual({ applyEndpoints: { slugs: ['remote'] } })
    expect(await slugs()).toContain('remote')
    const voices = [{ slug: 'spy', name: 'Spy', kind: 'reference', reference_audio: '/etc/passwd' }]
    const spy = await ask(key, apply, { source: JSON.stringify({ endpoints: [endpoint('spy', { voices })] }) })
    expect(codeOf(spy)).toBe('INVALID_REQUEST')
    const drop = mutation('deleteEndpoint(slug: "remote")', '... on DeleteEndpointSuccess { slug }')
    expect((await ask(key, drop)).data).toEqual({ deleteEndpoint: { slug: 'remote' } })
    expect(codeOf(await ask(key, drop))).toBe('NOT_FOUND')
    expect(await slugs()).not.toMatch(/remote|spy/)
  })

  test('sees why jobs of all accounts failed, most frequent first', async () => {
    const [{ key }, one, two] = [await operator(), await service.createCaller(), await service.createCaller()]
    const now = Date.now()
    const fail = (account: string, cause: string, secondsAgo: number) => {
      const id = idAt(new Date(now - secondsAgo * 1000))
      return insertJob(service.runtime.db, account, { id, status: 'failed', cause, endpointKey: 'voice.causes' })
    }
    await fail(one.account, 'refused by 10.0.0.7', 3)
    await fail(one.account, 'out of memory', 2)
    const last = await fail(two.account, 'out of memory', 1)
    const { data } = await ask(
      key,
      '{ failureCauses { errorCode cause endpointKey jobs lastJobId lastJob { id status } } }',
    )
    const causes = (data!.failureCauses as { endpointKey: string }[]).filter((at) => at.endpointKey === 'voice.causes')
    expect(causes).toEqual([
      {
        ...{ errorCode: 'RENDER_FAILED', cause: 'out of memory', endpointKey: 'voice.causes', jobs: 2 },
        ...{ lastJobId: last, lastJob: { id: last, status: 'FAILED' } },
      },
      expect.objectContaining({ cause: 'refused by 10.0.0.7', jobs: 1 }),
    ])
    const wide = '{ failureCauses(from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z") { jobs } }'
    expect(codeOf(await ask(key, wide))).toBe('INVALID_REQUEST')
  })
})
