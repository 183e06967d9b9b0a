import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { JobType } from '../../src/catalog/job-kinds.ts'
import { graphqlSchema } from '../../src/graphql/schema.ts'
import { TYPE_NAMES } from '../../src/jobs/graphql/job-graphql.ts'
import { createProject } from '../../src/projects/change-project.ts'
import { newId } from '../../src/values/id.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { insertVoice } from '../setup/jobs/library.ts'
import { applyWorkflow } from '../setup/jobs/workflows.ts'
import { ask, codeOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type Users, usersOf } from '../setup/service/users.ts'

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'
const ALL_SCOPES = ['generate:voice', 'generate:workflow', 'job:read', 'account:admin', 'voice:library', 'operator']

interface Nodes {
  readonly nodes: readonly ({ readonly __typename: string; readonly id: string } | null)[]
}

let service: TestRuntime
let users: Users
let account: string
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  account = await service.createAccount()
  key = (await service.createKey(account, ALL_SCOPES)).apiKey
  await applyWorkflow(service.runtime, 'portrait')
  await applyWorkflow(service.runtime, 'landscape')
})
afterAll(() => service?.close())

const query = async (text: string, values: unknown[]): Promise<string> =>
  (await service.runtime.db.pool.query<{ id: string }>(text, values)).rows[0]!.id

const nodes = (ids: readonly string[], as = key) => ask<Nodes>(service.url, as, NODES, { ids })

/** One object of each type that `node` finds, made anew, by the name of its type. */
async function oneOfEach(): Promise<[type: string, id: string][]> {
  const types = Object.keys(TYPE_NAMES) as JobType[]
  const ids = await Promise.all(types.map((type) => insertJob(service.runtime.db, account, { type })))
  const [job] = ids as [string]
  const [artifact, delivery, worker] = [newId('art'), newId('msg'), newId('wrk')]
  await query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256)
     values ($1, $2, 'audio', $1, 'audio/wav', 4, $3) returning id`,
    [artifact, job, randomBytes(32)],
  )
  await query(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, state, next_attempt_at, created_at, finished_at)
     values ($1, $2, 'job', $3, 'https://hooks.example.org/', 1, 'v1,x', 'succeeded', now(), now(), now()) returning id`,
    [delivery, account, job],
  )
  await query(
    `insert into worker (id, host, version, slots, in_flight, gpus) values ($1, 'here', '1', 1, 0, '[]') returning id`,
    [worker],
  )
  for (const [kind, amount] of [
    ['charge', -5],
    ['refund', 5],
  ]) {
    const text = 'insert into credit_entry (account_id, kind, amount, job_id) values ($1, $2, $3, $4) returning id'
    await query(text, [account, kind, amount, job])
  }
  await read(service.url, key, mutation(`creditAccount(account: "${account}", amount: 3)`, '__typename'))
  const list = '{ creditEntries(first: 3) { edges { node { id } } } auditEntries(first: 1) { edges { node { id } } } }'
  const holder = service.runtime.as({ kind: 'account', accountId: account, credits: 1n })
  const made = await read<Record<string, { edges: { node: { id: string } }[] }>>(service.url, key, list)
  return [
    ...types.map((type, place): [string, string] => [TYPE_NAMES[type], ids[place]!]),
    ['Artifact', artifact],
    ['WebhookDelivery', delivery],
    ['Worker', worker],
    ['Account', await service.createAccount()],
    ['AccountVoice', await insertVoice(service.runtime.db, account)],
    ['Project', (await createProject(holder, { name: 'Book' })).id],
    ['ApiKey', (await service.createKey(account)).apiKeyId],
    ['User', (await users.newcomer('member', account)).id],
    ...made.creditEntries!.edges.map(({ node }): [string, string] => ['CreditEntry', node.id]),
    ['AuditEntry', made.auditEntries!.edges[0]!.node.id],
  ]
}

const IN_CATALOG: [type: string, id: string][] = [
  ['VoiceEndpoint', 'voice.tts'],
  ['Voice', 'voice.tts.aria'],
  ['Workflow', 'generate.portrait'],
  ['Workflow', 'generate.landscape'],
]

async function statementsOf(ids: readonly string[]): Promise<number> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const { data, errors } = await nodes(ids)
    expect(errors).toBeUndefined()
    expect(data!.nodes).not.toContain(null)
    const texts = spy.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? '')
    return texts.filter((text) => /^\s*(select|with)\b/i.test(text)).length
  } finally {
    spy.mockRestore()
  }
}

describe('nodes', () => {
  test('finds every type of node, in the order of the ids, one that is named twice as well', async () => {
    const all = [...(await oneOfEach()), ...IN_CATALOG].reverse()
    const known = Object.values(graphqlSchema.getTypeMap()).flatMap((type) =>
      'getInterfaces' in type && !type.name.startsWith('__') && type.getInterfaces().some(({ name }) => name === 'Node')
        ? [type.name]
        : [],
    )
    expect(new Set(all.map(([type]) => type))).toEqual(new Set(known.filter((name) => name !== 'Job')))
    const asked = [...all, all[0]!]
    const { data, errors } = await nodes(asked.map(([, id]) => id))
    expect(errors).toBeUndefined()
    expect(data!.nodes).toEqual(asked.map(([__typename, id]) => ({ __typename, id })))
  })

  test('reads each kind once, however many are named', async () => {
    const [few, more] = [await oneOfEach(), await oneOfEach()]
    const idsOf = (all: readonly (readonly [string, string])[]) => all.map(([, id]) => id)
    const one = await statementsOf(idsOf(few))
    expect(one).toBeGreaterThan(5)
    expect(await statementsOf([...idsOf(few), ...idsOf(more)])).toBe(one)
  })

  test('selects the fields and relations of each type', async () => {
    const { apiKeyId } = await service.createKey(account)
    const job = await insertJob(service.runtime.db, account)
    const document = `query ($ids: [ID!]!) { nodes(ids: $ids) {
      ... on ApiKey { name createdBy { email } } ... on VoiceJob { status artifacts { id } } ... on Account { credits } } }`
    const { data, errors } = await ask<Nodes>(service.url, key, document, { ids: [apiKeyId, account, job] })
    expect(errors).toBeUndefined()
    expect(data!.nodes).toEqual([
      { name: 'test', createdBy: null },
      { credits: expect.any(Number) },
      { status: 'COMPLETED', artifacts: [] },
    ])
  })

  test('has null in the place of what is not there or of another account', async () => {
    const other = await service.createAccount()
    const { apiKey, apiKeyId } = await service.createKey(
      other,
      ALL_SCOPES.filter((scope) => scope !== 'operator'),
    )
    const made = (await oneOfEach()).filter(([type]) => type !== 'Worker').map(([, id]) => id)
    const missing = ['job_nonsense', newId('key'), 'entry_999999', 'audit_-1', 'voice.none', 'generate.none', 'x', '']
    const asked = [...made, apiKeyId, ...missing]
    const expected = [...made.map(() => null), { __typename: 'ApiKey', id: apiKeyId }, ...missing.map(() => null)]
    expect(await nodes(asked, apiKey)).toEqual({ data: { nodes: expected } })
  })

  test('has null with an error at its place of what the caller may not read, and the rest', async () => {
    const { apiKey, apiKeyId } = await service.createKey(account, ['job:read'])
    const [job, other] = [await insertJob(service.runtime.db, account), await service.createKey(account)]
    const { data, errors } = await nodes([other.apiKeyId, job, apiKeyId, newId('msg'), 'generate.portrait'], apiKey)
    const [itself, own] = [
      { __typename: 'ApiKey', id: apiKeyId },
      { __typename: 'VoiceJob', id: job },
    ]
    expect(data!.nodes).toEqual([null, own, itself, null, null])
    expect(errors!.map(({ path, extensions }) => [path, extensions.code])).toEqual(
      [0, 3, 4].map((place) => [['nodes', place], 'FORBIDDEN']),
    )
  })

  test('takes 100 ids and no more, and costs by their number', async () => {
    const ids = Array.from({ length: 101 }, () => newId('job'))
    expect((await nodes(ids.slice(1))).data!.nodes).toHaveLength(100)
    expect(codeOf(await nodes(ids))).toBe('INVALID_REQUEST')
    const wide = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on VoiceJob { words { text } } } }`
    expect(await ask(service.url, key, wide, { ids: ids.slice(0, 2) })).toEqual({ data: { nodes: [null, null] } })
    expect((await ask(service.url, key, wide, { ids: ids.slice(1) })).errors![0]!.message).toContain(
      'The query may return',
    )
  })
})
