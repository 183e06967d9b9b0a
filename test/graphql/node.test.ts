import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../src/users/create-user.ts'
import { newId } from '../../src/values/id.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { ask, codeOf } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
  await applyEndpoint(service.runtime, 'vip', {}, { required_scope: 'voice:vip' })
  await applyEndpoint(service.runtime, 'draft', {}, { published: false })
})
afterAll(() => service.close())

const node = (key: string | null, id: string) => ask<{ node: object | null }>(service.url, key, NODE, { id })

/** A job with an artifact and a delivery. */
async function produce(account: string) {
  const jobId = await insertJob(service.runtime.db, account)
  const [artifactId, deliveryId] = [newId('art'), newId('msg')]
  await service.runtime.db.pool.query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256) values ($1, $2, 'audio', $1, 'audio/wav', 4, $3)`,
    [artifactId, jobId, randomBytes(32)],
  )
  await service.runtime.db.pool.query(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, state, next_attempt_at, created_at, finished_at)
     values ($1, $2, 'job', $3, 'https://hooks.example.org/', 1, 'v1,x', 'succeeded', now(), now(), now())`,
    [deliveryId, account, jobId],
  )
  return { jobId, artifactId, deliveryId }
}

async function entryOf(account: string): Promise<string> {
  const text = 'select public_id from credit_entry where account_id = $1'
  return (await service.runtime.db.pool.query(text, [account])).rows[0]!.public_id
}

async function addUser(account: string): Promise<string> {
  const user = {
    account,
    email: `${account}@example.org`,
    password: 'correct horse battery',
    role: 'member' as const,
  }
  return (await createUser(service.runtime.as({ kind: 'system' }), user)).id
}

describe('node', () => {
  test('finds everything of the account by its id, and nothing of another one', async () => {
    const account = await service.createAccount()
    const { apiKey, apiKeyId } = await service.createKey(account, ['job:read', 'account:admin'])
    const other = await service.createKey(await service.createAccount(), ['job:read', 'account:admin'])
    const made = await produce(account)
    for (const [id, __typename] of [
      [made.jobId, 'VoiceJob'],
      [made.artifactId, 'Artifact'],
      [made.deliveryId, 'WebhookDelivery'],
      [account, 'Account'],
      [apiKeyId, 'ApiKey'],
      [await entryOf(account), 'CreditEntry'],
      [await addUser(account), 'User'],
    ] as const) {
      expect((await node(apiKey, id)).data).toEqual({ node: { __typename, id } })
      expect(await node(other.apiKey, id)).toEqual({ data: { node: null } })
      expect(codeOf(await node(null, id))).toBe('UNAUTHORIZED')
    }
  })

  test('asks for account:admin before it tells whether another account, a key, a user or an entry is there', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account)
    const { apiKeyId: another } = await service.createKey(account)
    const own = [another, await entryOf(account), await addUser(account)]
    const missing = [newId('acct'), newId('key'), newId('entry'), 'entry_999999', newId('user')]
    for (const id of [...own, ...missing, 'acct_nonsense', 'entry_-1']) {
      expect(codeOf(await node(apiKey, id)), id).toBe('FORBIDDEN')
    }
    const admin = await service.createKey(account, ['account:admin'])
    for (const id of [...missing, 'acct_nonsense', 'entry_-1', 'entry_1e3', 'entry_99999999999999999999'])
      expect(await node(admin.apiKey, id)).toEqual({ data: { node: null } })
  })

  test('finds public endpoints and their voices for every caller', async () => {
    expect((await node(null, 'voice.tts')).data).toEqual({ node: { __typename: 'VoiceEndpoint', id: 'voice.tts' } })
    const { data } = await ask<{ catalogEndpoint: { voices: { id: string }[] } }>(
      service.url,
      null,
      '{ catalogEndpoint(slug: "tts") { voices { id } } }',
    )
    const voice = data!.catalogEndpoint.voices[0]!.id
    expect((await node(null, voice)).data).toEqual({ node: { __typename: 'Voice', id: voice } })
    expect(await node(null, `${voice}.more`)).toEqual({ data: { node: null } })
  })

  test.each([
    ['an anonymous one', null],
    ['an ordinary key', ['generate:voice', 'job:read']],
    ['a key without generate:voice', ['voice:vip']],
  ] as const)(
    'shows no caller the difference of restricted, unpublished and missing endpoints: %s',
    async (_title, scopes) => {
      const key = scopes === null ? null : (await service.createKey(await service.createAccount(), scopes)).apiKey
      const seen = async (id: string) => JSON.stringify(await node(key, id)).replace(/"requestId":"[^"]*"/, '')
      for (const rest of ['', '.calm', '.nobody']) {
        const missing = await seen(`voice.none${rest}`)
        expect(await seen(`voice.vip${rest}`)).toBe(missing)
        expect(await seen(`voice.draft${rest}`)).toBe(missing)
      }
    },
  )

  test('finds a restricted endpoint for a key that reaches it', async () => {
    const { apiKey } = await service.createKey(await service.createAccount(), ['generate:voice', 'voice:vip'])
    expect((await node(apiKey, 'voice.vip')).data).toEqual({ node: { __typename: 'VoiceEndpoint', id: 'voice.vip' } })
    expect((await node(apiKey, 'voice.draft')).data).toEqual({ node: null })
  })
})

describe('the deliveries of a job', () => {
  const query = 'query ($id: ID!) { job(jobId: $id) { status deliveries { id url state } } }'

  test('are shown with the scope account:admin, and their rejection is reported next to what is shown', async () => {
    const account = await service.createAccount()
    const admin = await service.createKey(account, ['job:read', 'account:admin'])
    const reader = await service.createKey(account, ['job:read'])
    const { jobId, deliveryId } = await produce(account)
    expect((await ask(service.url, admin.apiKey, query, { id: jobId })).data).toMatchObject({
      job: { deliveries: [{ id: deliveryId, state: 'SUCCEEDED' }] },
    })
    const refused = await ask(service.url, reader.apiKey, query, { id: jobId })
    expect(refused.data).toEqual({ job: { status: 'COMPLETED', deliveries: null } })
    expect([codeOf(refused), refused.errors?.[0]?.path]).toEqual(['FORBIDDEN', ['job', 'deliveries']])
  })
})

describe('service', () => {
  test('says its version, address and limits to callers that it knows, and to no others', async () => {
    const SERVICE = '{ service { version publicUrl storage limits { requestsPerMinute bodyBytes exportJobs } } }'
    const { key } = await service.createCaller()
    expect((await ask(service.url, key, SERVICE)).data).toEqual({
      service: {
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        publicUrl: service.url,
        storage: 'DISK',
        limits: { requestsPerMinute: null, bodyBytes: 1_048_576, exportJobs: 500_000 },
      },
    })
    expect(codeOf(await ask(service.url, null, SERVICE))).toBe('UNAUTHORIZED')
  })
})
