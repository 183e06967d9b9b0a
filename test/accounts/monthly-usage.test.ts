import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_SCOPES } from '../../src/access/scopes.ts'
import { updateAccount } from '../../src/accounts/update-account.ts'
import { updateApiKey } from '../../src/api-keys/change-api-key.ts'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { sonantHere } from '../setup/processes/command-here.ts'
import { codeOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { usersOf } from '../setup/service/users.ts'

const AT_ONCE = 200
/** Ten characters, so ten credits. */
const TEXT = 'Ten signs.'
const SUBMIT = `mutation { submitVoiceJob(slug: "capped", inputs: { text: "${TEXT}", voice: "calm" }) {
  ... on VoiceJobSubmission { jobId } ... on RequestError { code message } } }`
const RETRY = mutation('retryJob(id: $id)', '... on RetryJobSuccess { jobId }', '($id: ID!)')

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { OPENAI_MODEL: 'capped' } })
  await applyEndpoint(service.runtime, 'capped')
  await applyWorkflow(service.runtime, 'portrait', {}, { credits_per_job: 10 })
})
afterAll(() => service?.close())

const operator = () => service.runtime.as({ kind: 'system' })
const limitKey = (apiKeyId: string, monthlyLimit: number | null) => updateApiKey(operator(), { apiKeyId, monthlyLimit })
const limitAccount = (account: string, monthlyLimit: number | null) =>
  updateAccount(operator(), { account, monthlyLimit })

const post = (key: string, path: string, body: object, headers = {}) =>
  call(service.url + path, { method: 'POST', key, body, headers })
const speak = (key: string, text = TEXT, headers = {}) =>
  post(key, '/api/v1/voice/capped', { inputs: { text, voice: 'calm' } }, headers)
const statuses = async (replies: readonly Promise<{ status: number }>[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status } of await Promise.all(replies)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Of the account, and of each of its keys by id. */
async function used(account: string): Promise<{ account: number; keys: Record<string, number> }> {
  const { apiKey } = await service.createKey(account, ['account:admin'])
  const answer = await read<{
    account: { usedThisMonth: number; apiKeys: { id: string; usedThisMonth: number }[] }
  }>(service.url, apiKey, '{ account { usedThisMonth apiKeys { id usedThisMonth } } }')
  const keys = answer.account.apiKeys.map(({ id, usedThisMonth }) => [id, usedThisMonth])
  return { account: answer.account.usedThisMonth, keys: Object.fromEntries(keys) }
}

test('200 submissions at once pass neither the limit of a key nor that of the account by one credit', async () => {
  const { account, key, keyId } = await service.createCaller()
  const other = await service.createKey(account)
  await limitKey(keyId, 405)
  await limitAccount(account, 1005)
  const both = Array.from({ length: AT_ONCE }, (_, at) => speak(at % 2 === 0 ? key : other.apiKey))
  expect(await statuses(both)).toEqual({ 202: 100, 402: 100 })
  const usage = await used(account)
  expect(usage.account).toBe(1000)
  expect(usage.keys[keyId]).toBeLessThanOrEqual(400)
  expect(usage.keys[keyId]! + usage.keys[other.apiKeyId]!).toBe(1000)
  await limitAccount(account, null)
  expect(await statuses(Array.from({ length: 60 }, () => speak(key)))).toMatchObject({ 402: expect.any(Number) })
  expect((await used(account)).keys[keyId]).toBe(400)
  const { rows } = await service.runtime.db.pool.query('select sum(cost)::int as cost from job where api_key_id = $1', [
    keyId,
  ])
  expect(rows).toEqual([{ cost: 400 }])
})

test('every door that charges refuses what would pass the limit, and accepts what just fits', async () => {
  const { account } = await service.createCaller()
  const { apiKey: key, apiKeyId } = await service.createKey(account, [...DEFAULT_SCOPES, 'generate:workflow'])
  await limitKey(apiKeyId, 20)
  const first = await speak(key)
  expect(first.status).toBe(202)
  expect((await speak(key, `${TEXT}!`)).json()).toEqual({
    error:
      'The monthly limit of the key or the account leaves too few credits: wait for the next month (UTC), or have it raised.',
    error_code: 'PAYMENT_REQUIRED',
  })
  const prompt = { inputs: { prompt: 'A face.' } }
  expect((await post(key, '/api/v1/generate/portrait', prompt)).status).toBe(202)
  expect((await post(key, '/api/v1/generate/portrait', prompt)).status).toBe(402)
  expect((await speak(key)).status).toBe(402)
  const openai = await post(key, '/v1/audio/speech', { model: 'capped', input: TEXT, voice: 'calm' })
  expect([openai.status, openai.headers['x-should-retry'], openai.json<{ error: object }>().error]).toMatchObject([
    429,
    'false',
    { type: 'insufficient_quota', code: 'insufficient_quota' },
  ])
  const elevenlabs = await post(key, '/v1/text-to-speech/capped:calm', { text: TEXT })
  expect([elevenlabs.status, elevenlabs.json()]).toEqual([
    401,
    { detail: { status: 'quota_exceeded', message: expect.stringContaining('monthly limit') } },
  ])
  const asked = (query: string, variables = {}) => post(key, '/graphql', { query, variables })
  expect(codeOf((await asked(SUBMIT)).json())).toBe('PAYMENT_REQUIRED')
  const { job_id: id } = first.json<{ job_id: string }>()
  await service.runtime.db.pool.query(
    `update job set status = 'failed', completed_at = now(), error_code = 'RENDER_FAILED' where id = $1`,
    [id],
  )
  expect((await asked(RETRY, { id })).json()).toMatchObject({ data: { retryJob: { jobId: expect.any(String) } } })
  expect(codeOf((await asked(RETRY, { id })).json())).toBe('PAYMENT_REQUIRED')
  expect((await used(account)).account).toBe(20)
})

test('a repeated request is answered with its job although the limit is reached', async () => {
  const { key, keyId } = await service.createCaller()
  await limitKey(keyId, 10)
  const once = { 'idempotency-key': 'only one' }
  const first = await speak(key, TEXT, once)
  expect([first.status, (await speak(key)).status]).toEqual([202, 402])
  expect((await speak(key, TEXT, once)).json()).toEqual(first.json())
})

test('a cancelled job gives its credits back to the month of its submission, and a new month begins with none', async () => {
  const { account, key, keyId } = await service.createCaller()
  await limitAccount(account, 20)
  const [first] = [await speak(key), await speak(key)]
  expect((await speak(key)).status).toBe(402)
  const { pool } = service.runtime.db
  const past = (column: string) => `${column} = ${column} - interval '1 month'`
  await pool.query(`update job set ${past('created_at')} where account_id = $1`, [account])
  await pool.query(`update monthly_usage set ${past('month')} where owner_id = any($1)`, [[account, keyId]])
  expect(await used(account)).toMatchObject({ account: 0, keys: { [keyId]: 0 } })
  expect((await speak(key)).status).toBe(202)
  const { job_id: id } = first!.json<{ job_id: string }>()
  await read(service.url, key, mutation(`cancelJob(id: "${id}")`, '__typename'))
  const { rows } = await pool.query(
    'select sum(credits)::int as credits from monthly_usage where owner_id = any($1) group by month, owner_id order by month, owner_id',
    [[account, keyId]],
  )
  expect(rows.map(({ credits }) => credits)).toEqual([10, 10, 10, 10])
  expect(await used(account)).toMatchObject({ account: 10, keys: { [keyId]: 10 } })
})

test('a deleted job stays counted', async () => {
  const { account, key } = await service.createCaller()
  const { job_id: id } = (await speak(key)).json<{ job_id: string }>()
  await service.runtime.db.pool.query(`update job set status = 'completed', completed_at = now() where id = $1`, [id])
  const { apiKey } = await service.createKey(account, ['account:admin', 'job:read'])
  const remove = mutation(`deleteJob(id: "${id}")`, '... on DeleteJobSuccess { jobId }')
  expect(await read(service.url, apiKey, remove)).toEqual({ deleteJob: { jobId: id } })
  expect((await used(account)).account).toBe(10)
})

test('owners limit keys, operators accounts; what is not given stays, and null clears', async () => {
  const users = usersOf(service)
  const owner = await users.user('owner')
  const { apiKeyId } = await service.createKey(owner.account)
  const change = async (fields: string) =>
    (
      await users.ask(
        mutation(`updateApiKey(id: "${apiKeyId}", ${fields})`, '... on ApiKey { monthlyLimit name }'),
        {},
        owner.cookie,
      )
    ).data?.updateApiKey
  expect(await change('monthlyLimit: 3000000000')).toEqual({ monthlyLimit: 3_000_000_000, name: 'test' })
  expect(await change('name: "site"')).toEqual({ monthlyLimit: 3_000_000_000, name: 'site' })
  expect(await change('monthlyLimit: null')).toEqual({ monthlyLimit: null, name: 'site' })
  for (const wrong of ['-1', '1.5', '2000000000000000']) {
    expect(await change(`monthlyLimit: ${wrong}`), wrong).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/monthlyLimit' }],
    })
  }
  const account = mutation(
    `updateAccount(account: "${owner.account}", monthlyLimit: 0)`,
    '... on Account { monthlyLimit }',
  )
  expect(codeOf(await users.ask(account, {}, owner.cookie))).toBe('FORBIDDEN')
  const { apiKey } = await service.createKey(await service.createAccount(), ['operator'])
  expect(await read(service.url, apiKey, account)).toEqual({ updateAccount: { monthlyLimit: 0 } })
  const { apiKey: own } = await service.createKey(owner.account)
  expect((await speak(own)).status).toBe(402)
})

test('the command line sets limits and lists them with what was used', async () => {
  const { account, key, keyId } = await service.createCaller()
  const env = { DATABASE_URL: service.runtime.settings.databaseUrl!, DATA_DIR: service.dataDir }
  await speak(key)
  const keyNow = { api_key_id: keyId, monthly_limit: 30, used_this_month: 10 }
  expect(await sonantHere(env, 'keys', 'update', keyId, '--monthly-limit', '30')).toMatchObject(keyNow)
  const accountNow = { account_id: account, monthly_limit: 40, used_this_month: 10 }
  expect(await sonantHere(env, 'accounts', 'update', '--account', account, '--monthly-limit', '40')).toMatchObject(
    accountNow,
  )
  expect(await sonantHere(env, 'keys', 'list', '--account', account)).toMatchObject({ items: [keyNow] })
  expect(await sonantHere(env, 'accounts', 'show', '--account', account)).toMatchObject(accountNow)
  const { items } = await sonantHere<{ items: { account_id: string }[] }>(env, 'accounts', 'list')
  expect(items.find((one) => one.account_id === account)).toMatchObject(accountNow)
  expect(await sonantHere(env, 'keys', 'update', keyId, '--name', 'cd')).toMatchObject({ ...keyNow, name: 'cd' })
  expect(await sonantHere(env, 'keys', 'update', keyId, '--monthly-limit', 'none')).toMatchObject({
    monthly_limit: null,
  })
})
