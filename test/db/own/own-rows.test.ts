import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recentJobs } from '../../../src/jobs/live/job-feed.ts'
import { recentDeliveries } from '../../../src/webhooks/delivery-feed.ts'
import { call } from '../../setup/http.ts'
import { idAt } from '../../setup/jobs/jobs.ts'
import { planReads } from '../../setup/postgres/plan-reads.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const OWN = 5_000
const NEWER = 15_000
const OLDER = 3_000
const PENDING = 10
const PAGE = 5
const NEWEST = 100
const SCOPES = ['generate:voice', 'job:read', 'account:admin']
const TABLES = ['job', 'webhook_delivery', 'credit_entry', 'audit_entry']
const WRITES = /^\s*(insert|update|delete)/i

interface Statement {
  readonly text: string
  readonly values?: unknown[] | undefined
}

let service: TestRuntime
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime()
  account = await service.createAccount()
  key = (await service.createKey(account, SCOPES)).apiKey
  const others = await service.createAccount()
  const { pool } = service.runtime.db
  for (const [owner, day, rows] of [
    [account, '2026-02-02', OWN],
    [others, '2026-02-03', NEWER],
  ] as const) {
    const values = [idAt(new Date(day)).slice(4, 14), owner, rows]
    await pool.query(
      `insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at)
       select 'job_' || $1::text || lpad(n::text, 16, '0'), $2, 'voice', 'voice.x', 'completed', '{}', '2026-02-02', '2026-02-03'
       from generate_series(1, $3) n`,
      values,
    )
    await pool.query(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
       select 'msg_' || $1::text || lpad(n::text, 16, '0'), $2, 'job', 'job_' || $1::text || lpad(n::text, 16, '0'), 'https://hooks.example.com', 1,
         'v1,x', '{}', 'failed', now(), now(), now() from generate_series(1, $3) n`,
      values,
    )
    // Rows of an earlier year, a day apart: a window of days is a small part of them.
    await pool.query(
      `insert into credit_entry (account_id, kind, amount, created_at)
       select $1, 'grant', 1, '2001-01-01'::timestamptz + n * interval '1 day' from generate_series(1, $2) n`,
      [owner, OLDER],
    )
    await pool.query(
      `insert into credit_entry (account_id, kind, amount, job_id)
       select $2, 'charge', -1, 'job_' || $1::text || lpad(n::text, 16, '0') from generate_series(1, $3) n`,
      values,
    )
    await pool.query(
      `insert into audit_entry (account_id, action, actor_kind)
       select $2, 'credits_granted', 'operator' from generate_series(1, $3) n where $1::text is not null`,
      values,
    )
  }
  // The oldest of the account, behind all others.
  await pool.query(
    `update webhook_delivery set state = 'pending', finished_at = null where account_id = $1 and right(id, 16)::int <= $2`,
    [account, PENDING],
  )
  for (const table of TABLES) await pool.query(`vacuum analyze ${table}`)
})
afterAll(() => service.close())

/** Notes the statements about the account meanwhile. */
async function statementsOf(ask: () => Promise<unknown>): Promise<Statement[]> {
  const { query } = Client.prototype
  const statements: Statement[] = []
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...given: unknown[]) {
    const [first, values] = given as [string | Statement, unknown[] | undefined]
    statements.push(
      typeof first === 'string' ? { text: first, values } : { text: first.text, values: first.values ?? values },
    )
    return Reflect.apply(query, this, given)
  })
  await ask().finally(() => spy.mockRestore())
  return statements.filter(({ values }) => values?.includes(account))
}

/** How many rows of the tables are looked at, with what PostgreSQL reckons a page costs by default. */
async function rowsReadBy(statements: readonly Statement[]): Promise<number> {
  const client = await service.runtime.db.pool.connect()
  try {
    await client.query('begin; set local random_page_cost = 4')
    let rows = 0
    for (const { text, values = [] } of statements) {
      const reads = await planReads(client, text, values)
      for (const read of reads) if (TABLES.includes(read.table ?? '')) rows += read.rows
    }
    return rows
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const rest = (path: string) => async () =>
  expect((await call(`${service.url}/api/v1/${path}`, { key })).status).toBe(200)
const graphql = (query: string) => () => read(service.url, key, query)
/** The cursor of one in the middle of the account's, all of which ended at once. */
const MIDDLE = `${Date.parse('2026-02-03')}.${idAt(new Date('2026-02-02')).slice(0, 14)}${`${OWN / 2}`.padStart(16, '0')}`
const NODES = `{ edges { node { __typename } } }`

test.each<[string, () => Promise<unknown>, number]>([
  ['GET jobs', rest(`jobs?limit=${PAGE}`), PAGE],
  ['GET jobs by status', rest(`jobs?limit=${PAGE}&status=completed`), PAGE],
  ['GET jobs from a time', rest(`jobs?limit=${PAGE}&from=2026-01-01T00:00:00Z`), PAGE],
  ['GET jobs further on', rest(`jobs?limit=${PAGE}&offset=${PAGE}`), 3 * PAGE],
  ['jobs', graphql(`{ jobs(first: ${PAGE}) ${NODES} }`), PAGE + 1],
  ['jobs from the end', graphql(`{ jobs(last: ${PAGE}) ${NODES} }`), PAGE + 1],
  [
    'jobs by their end',
    graphql(`{ jobs(first: ${PAGE}, orderBy: { field: COMPLETED_AT, direction: DESC }) ${NODES} }`),
    PAGE + 1,
  ],
  [
    'jobs further on by their end',
    graphql(`{ jobs(first: ${PAGE}, after: "${MIDDLE}", orderBy: { field: COMPLETED_AT, direction: DESC }) ${NODES} }`),
    PAGE + 1,
  ],
  ['webhookDeliveries', graphql(`{ webhookDeliveries(first: ${PAGE}) ${NODES} }`), 2 * (PAGE + 1)],
  [
    'webhookDeliveries that are pending',
    graphql(`{ webhookDeliveries(first: ${PAGE}, filter: { states: [PENDING] }) ${NODES} }`),
    2 * (PAGE + 1),
  ],
  ['creditEntries', graphql(`{ creditEntries(first: ${PAGE}) ${NODES} }`), PAGE + 1],
  ['creditEntries of a kind', graphql(`{ creditEntries(first: ${PAGE}, kinds: [CHARGE]) ${NODES} }`), 2 * (PAGE + 1)],
  [
    'creditEntries of no kind that it has',
    graphql(`{ creditEntries(first: ${PAGE}, kinds: [REFUND]) ${NODES} }`),
    OWN + OLDER + 10,
  ],
  ['auditEntries', graphql(`{ auditEntries(first: ${PAGE}) ${NODES} }`), PAGE + 1],
  ["an account's creditEntries", graphql('{ account { creditEntries { id } } }'), NEWEST],
  ["an account's deliveries", graphql('{ account { deliveries { id } } }'), NEWEST],
  ["a webhook's deliveries", graphql('{ webhook { deliveries { id } } }'), NEWEST],
  ['the jobs that a subscriber hears of', () => recentJobs(service.runtime.db, account, { since: new Date() }), 1_000],
  [
    'the deliveries that a subscriber hears of',
    () => recentDeliveries(service.runtime.db, account, { since: new Date() }),
    1_000 + 2 * PENDING,
  ],
  [
    'the pending deliveries that a subscriber begins with',
    () => recentDeliveries(service.runtime.db, account, null, { urls: ['https://hooks.example.com'] }),
    2 * PENDING,
  ],
])('%s of an account that has been idle reads nothing that others have made since', async (_what, ask, most) => {
  const statements = await statementsOf(ask)
  const rows = await rowsReadBy(statements.filter(({ text }) => !WRITES.test(text)))
  expect(rows).toBeLessThanOrEqual(most)
  expect(rows).toBeGreaterThanOrEqual(PAGE)
})

test.each([
  ['creditEntries(kinds: [REFUND])'],
  ['creditEntries(createdAt: { to: "2001-01-01T00:00:00Z" })'],
  ['auditEntries(actions: [USER_ADDED])'],
  ['webhookDeliveries(filter: { outcomeCodes: [TIMEOUT] })'],
])('%s, to which no index leads, takes the share of the account that looks for it', async (field) => {
  const { readShares } = service.runtime.db
  const acquired = vi.spyOn(readShares, 'acquire')
  await read(service.url, key, `{ ${field} ${NODES} }`)
  expect(acquired.mock.calls).toEqual([[account]])
  acquired.mockRestore()
})

test('creditDays, to which no index leads, takes the share of the account that asks for them', async () => {
  const acquired = vi.spyOn(service.runtime.db.readShares, 'acquire')
  const days = await read(
    service.url,
    key,
    '{ creditDays(from: "2001-02-01T00:00:00Z", to: "2001-02-03T00:00:00Z") { granted } }',
  )
  expect(days).toEqual({ creditDays: [{ granted: 1 }, { granted: 1 }] })
  expect(acquired.mock.calls).toEqual([[account]])
  acquired.mockRestore()
})
