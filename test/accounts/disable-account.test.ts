import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorker } from '../../src/worker/start-worker.ts'
import { call } from '../setup/http.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { ask as askAt, codeOf, errorOf, mutation } from '../setup/service/graphql.ts'
import type { TestRuntime } from '../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../setup/service/subscriber.ts'
import { talk } from '../setup/service/talker.ts'
import { type Users, usersOf } from '../setup/service/users.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../setup/service/webhooks.ts'

const DISABLE = mutation('disableAccount(account: $account)', '... on Account { id disabledAt }', '($account: ID!)')
const ENABLE = mutation('enableAccount(account: $account)', '... on Account { id disabledAt }', '($account: ID!)')
const RENAME = mutation(
  'updateAccount(account: $account, name: $name)',
  '... on Account { id name }',
  '($account: ID!, $name: String!)',
)
const ME = '{ me { accountId } }'
const JOBS = 'subscription { jobsUpdated { id } }'
const SAID = 'This account is disabled: ask the operator of this service to enable it.'

let fixture: WebhookFixture
let service: TestRuntime
let users: Users
let operator: string
beforeAll(async () => {
  fixture = await openWebhookFixture({ webhooks: true, env: { OPENAI_WAIT_SECONDS: '1' } })
  service = fixture.service
  users = usersOf(service)
  await applyEndpoint(service.runtime, 'vip', {}, { required_scope: 'voice:vip' })
  operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
})
afterAll(() => fixture?.close())

const asOperator = (query: string, variables: object) => askAt(service.url, operator, query, variables)
const disable = (account: string) => asOperator(DISABLE, { account })
const enable = (account: string) => asOperator(ENABLE, { account })

describe('a disabled account', () => {
  test('is refused at every door with one sentence, until it is enabled', async () => {
    const { account, key } = await service.createCaller()
    const speech = { method: 'POST', body: { model: 'tts', input: 'Hello', text: 'Hello' } }
    const doors = async () => [
      await call(`${service.url}/api/v1/jobs`, { key }),
      await call(`${service.url}/api/v1/jobs/export`, { key }),
      await call(`${service.url}/api/v1/voice/tts`, { key, method: 'POST', body: { inputs: {} } }),
      await call(`${service.url}/v1/audio/speech`, { key, ...speech }),
      await call(`${service.url}/v1/models`, { key }),
      await call(`${service.url}/v1/text-to-speech/calm`, { headers: { 'xi-api-key': key }, ...speech }),
      await call(`${service.url}/v1/user`, { headers: { 'xi-api-key': key } }),
      await call(`${service.url}/graphql`, { key, method: 'POST', body: { query: '{ account { id } }' } }),
    ]
    expect((await disable(account)).data).toEqual({ disableAccount: { id: account, disabledAt: expect.any(String) } })
    const refused = await doors()
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect(refused.filter(({ text }) => !text.includes(SAID)).map(({ text }) => text)).toEqual([])
    expect(refused[0]!.json()).toEqual({ error: SAID, error_code: 'FORBIDDEN' })
    expect((await enable(account)).data).toEqual({ enableAccount: { id: account, disabledAt: null } })
    const admitted = await doors()
    expect(admitted.filter(({ text }) => text.includes(SAID))).toEqual([])
    expect(admitted[0]!.status).toBe(200)
  })

  test('learns nothing of restricted endpoints: they answer as missing ones do', async () => {
    const { account, key } = await service.createCaller()
    await disable(account)
    const [vip, none] = await Promise.all(
      ['vip', 'none'].map((slug) => call(`${service.url}/api/v1/voice/${slug}`, { key, method: 'POST', body: {} })),
    )
    expect([vip!.status, vip!.text]).toEqual([403, none!.text])
  })

  test('has no open connection a moment later, by key or by session', async () => {
    const owner = await users.user()
    const { apiKey } = await service.createKey(owner.account, ['generate:voice', 'job:read'])
    const talker = await talk(service.url, 'aria/stream-input?model_id=tts', apiKey)
    talker.send({ text: ' ' })
    const bySession = openSocketClient(service.url, null, { cookie: owner.cookie, origin: service.url })
    const byKey = openSocketClient(service.url, apiKey)
    const events = openEventClient(service.url, apiKey)
    const jobId = await insertJob(service.runtime.db, owner.account, { status: 'processing' })
    const heard = [bySession, byKey, events].map((client) => client.subscribe<{ jobsUpdated: { id: string } }>(JOBS))
    for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    await disable(owner.account)
    expect([await bySession.closed(), await byKey.closed()]).toEqual([4403, 4403])
    await heard[2]!.ended()
    expect(JSON.stringify(heard[2]!.errors)).toContain(SAID)
    await talker.closed
    expect(talker.answers.at(-1)).toMatchObject({ message: SAID })
    const again = openSocketClient(service.url, apiKey)
    again.subscribe(JOBS)
    expect(await again.closed()).toBe(4403)
  })

  test('signs nobody in, says so to those who have the password or a link, and keeps sessions and links for later', async () => {
    const owner = await users.user()
    const token = await users.tokenFor((await users.newcomer('member', owner.account)).id)
    await disable(owner.account)
    expect((await users.ask(ME, {}, owner.cookie)).data).toEqual({ me: null })
    expect((await users.signIn(owner.email)).errors).toMatchObject([{ message: SAID }])
    expect(codeOf(await users.signIn(owner.email, 'another password'))).toBe('UNAUTHORIZED')
    expect((await users.redeem(token)).errors).toMatchObject([{ message: SAID }])
    await enable(owner.account)
    expect((await users.ask(ME, {}, owner.cookie)).data).toEqual({ me: { accountId: owner.account } })
    expect(codeOf(await users.redeem(token))).toBeUndefined()
    expect(codeOf(await users.signIn(owner.email))).toBeUndefined()
  })

  test('keeps nobody out of another account with the same address and password', async () => {
    const [older, other] = [await users.user(), await users.user()]
    const { prisma } = service.runtime.db
    await prisma.user.update({ where: { id: other.id }, data: { email: older.email } })
    await disable(older.account)
    expect((await users.signIn(older.email)).data).toEqual({ signIn: { id: other.id } })
    await disable(other.account)
    expect((await users.signIn(older.email)).errors).toMatchObject([{ message: SAID }])
  })

  test('has its submitted jobs spoken, and their webhooks delivered', async () => {
    const path = '/disabled'
    const owner = await createOwner(service, fixture.receiver.url + path)
    const jobId = await submitText(service.url, owner.key, 'tts', 'Under way.', 'aria')
    await disable(owner.account)
    const worker = await startWorker(service.runtime)
    try {
      const [delivered] = await fixture.receiver.waitFor(path)
      expect(JSON.parse(delivered!.body.toString())).toMatchObject({ job_id: jobId, status: 'completed' })
    } finally {
      await worker.stop()
    }
    await enable(owner.account)
    expect(await readJob(service.url, owner.key, jobId)).toMatchObject({ status: 'completed' })
  })

  test('is disabled by operators alone, not by one of its own, and twice as once', async () => {
    const owner = await users.user()
    const admin = (await service.createKey(owner.account, ['account:admin'])).apiKey
    for (const query of [DISABLE, ENABLE])
      expect(codeOf(await askAt(service.url, admin, query, { account: owner.account }))).toBe('FORBIDDEN')
    const own = (await service.createKey(owner.account, ['operator', 'account:admin'])).apiKey
    expect(errorOf(await askAt(service.url, own, DISABLE, { account: owner.account }))?.details).toEqual([
      { path: '/account', message: "is the caller's own" },
    ])
    expect(codeOf(await disable('acct_none'))).toBe('NOT_FOUND')
    const [first, second] = [await disable(owner.account), await disable(owner.account)]
    expect(second.data).toEqual(first.data)
    await enable(owner.account)
    const audit = `{ auditEntries(account: "${owner.account}", first: 2) { nodes { action by { kind } } } }`
    expect((await asOperator(audit, {})).data).toEqual({
      auditEntries: {
        nodes: [
          { action: 'ACCOUNT_ENABLED', by: { kind: 'KEY' } },
          { action: 'ACCOUNT_DISABLED', by: { kind: 'KEY' } },
        ],
      },
    })
  })

  test('is disabled, enabled and renamed at the command line, which makes no job for it', async () => {
    const account = await service.createAccount()
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const accounts = (...args: string[]) => sonantHere<object>(env, 'accounts', ...args, '--account', account)
    expect(await accounts('disable')).toMatchObject({ account_id: account, disabled_at: expect.any(String) })
    const said = await runHere(['say', 'Hello', '--account', account, '--json'], env)
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([1, { error: SAID, error_code: 'FORBIDDEN' }])
    expect(await accounts('enable')).toMatchObject({ account_id: account, disabled_at: null })
    expect(await accounts('update', '--name', `renamed ${account}`)).toMatchObject({ name: `renamed ${account}` })
  })
})

describe('a renamed account', () => {
  test('is found by its new name, keeps its limits, and the record has both names', async () => {
    const account = await service.createAccount()
    const { rows } = await service.runtime.db.pool.query<{ name: string }>('select name from account where id = $1', [
      account,
    ])
    const [old, name] = [rows[0]!.name, `harbour ${account}`]
    expect((await asOperator(RENAME, { account: old, name })).data).toEqual({ updateAccount: { id: account, name } })
    expect((await asOperator('query ($name: ID!) { account(account: $name) { id } }', { name })).data).toEqual({
      account: { id: account },
    })
    const audit = `{ auditEntries(account: "${account}", first: 1) { nodes { action subjectName detail } } }`
    expect((await asOperator(audit, {})).data).toEqual({
      auditEntries: { nodes: [{ action: 'ACCOUNT_RENAMED', subjectName: old, detail: name }] },
    })
  })

  test('takes no name of another account, no id and nothing unseen', async () => {
    const [account, other] = [await service.createAccount(), await service.createAccount()]
    await asOperator(RENAME, { account: other, name: `taken ${other}` })
    for (const name of [`taken ${other}`, other, '', ' ', 'a\u200bb', 'x'.repeat(201)])
      expect(codeOf(await asOperator(RENAME, { account, name }))).toBe('INVALID_REQUEST')
  })
})
