import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { usersOf } from '../setup/service/users.ts'

interface Page {
  readonly edges: { readonly cursor: string; readonly node: { readonly id: string } }[]
}

const TYPE_ID = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const ALL = '{ edges { cursor node { id } } }'

let service: TestRuntime
let account: string
let key: string
let cookie: string
let stranger: string
beforeAll(async () => {
  service = await startTestRuntime()
  const owner = await usersOf(service).user('owner')
  account = owner.account
  cookie = owner.cookie
  key = (await service.createKey(account, ['account:admin', 'operator'])).apiKey
  const other = await service.createAccount(1n)
  stranger = (await service.createKey(other, ['account:admin'])).apiKey
  const { pool } = service.runtime.db
  const jobId = await insertJob(service.runtime.db, account)
  for (const [kind, amount] of [
    ['charge', -3],
    ['refund', 3],
  ])
    await pool.query(
      'insert into credit_entry (account_id, kind, amount, job_id) values ($1, $2::credit_kind, $3, $4)',
      [...[account, kind], ...[amount, jobId]],
    )
  // A process of an earlier release writes no id.
  await pool.query(`insert into credit_entry (account_id, kind, amount) values ($1, 'grant', 0)`, [account])
  await pool.query(
    `insert into audit_entry (account_id, action, actor_kind) values ($1, 'credits_granted', 'operator')`,
    [account],
  )
})
afterAll(() => service.close())

const idsOf = ({ edges }: Page) => edges.map(({ node }) => node.id)
const list = async (field: string, args: string, by = key) =>
  (await read<Record<string, Page>>(service.url, by, `{ ${field}(${args}) ${ALL} }`))[field]!

describe.each([
  ['creditEntries', 'entry'],
  ['auditEntries', 'audit'],
] as const)('ids of %s', (field, prefix) => {
  test('tell no number of other accounts, but for entries of earlier releases', async () => {
    const [numbered, ...ids] = idsOf(await list(field, 'first: 100'))
    expect(numbered).toMatch(new RegExp(`^${prefix}_\\d+$`))
    for (const id of ids) expect(id).toMatch(TYPE_ID)
    expect(new Set([numbered, ...ids]).size).toBe(ids.length + 1)
  })

  test('are cursors in both directions, of one kind and window as well, and not of another account', async () => {
    const ids = idsOf(await list(field, 'first: 100'))
    for (const [args, index] of [
      ['first: 1, after', 1],
      ['last: 1, before', -1],
      [`createdAt: { from: "2020-01-01T00:00:00Z" }, first: 1, after`, 1],
    ] as const)
      for (const [at, id] of ids.entries())
        expect(idsOf(await list(field, `${args}: "${id}"`))).toEqual(ids[at + index] ? [ids[at + index]] : [])
    for (const cursor of [ids[1], `${prefix}_00000000000000000000000000`, `${prefix}_1`])
      expect(codeOf(await ask(service.url, stranger, `{ ${field}(after: "${cursor}") ${ALL} }`))).toBe(
        'INVALID_REQUEST',
      )
  })

  test('find their entries, whose numbers find nothing', async () => {
    const node = async (id: string) =>
      (await read<{ node: { id: string } | null }>(service.url, key, `{ node(id: "${id}") { id } }`)).node?.id
    for (const id of idsOf(await list(field, 'first: 100'))) expect(await node(id)).toBe(id)
    const table = field === 'creditEntries' ? 'credit_entry' : 'audit_entry'
    const { rows } = await service.runtime.db.pool.query(
      `select id from ${table} where account_id = $1 order by id desc offset 1`,
      [account],
    )
    expect(rows.length).toBeGreaterThanOrEqual(2)
    for (const { id } of rows) expect(await node(`${prefix}_${id}`)).toBeUndefined()
  })
})

test('the ledger as a file has the ids of the list', async () => {
  const csv = await call(`${service.url}/console/ledger.csv`, { headers: { 'sec-fetch-site': 'same-origin', cookie } })
  const ids = csv.text.trim().split('\r\n').slice(1)
  expect(ids.map((line) => line.split(',')[0])).toEqual(idsOf(await list('creditEntries', 'first: 100')).toReversed())
})

test('a signing secret has no number', async () => {
  const { webhook } = await read<{ webhook: { secrets: { id: string }[] } }>(
    service.url,
    key,
    '{ webhook { secrets { id } } }',
  )
  for (const { id } of webhook.secrets) expect(id).toMatch(TYPE_ID)
})
