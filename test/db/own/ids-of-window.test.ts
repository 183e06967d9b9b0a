import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AuditEntriesInput, auditEntries } from '../../../src/accounts/audit-entries.ts'
import { planReads } from '../../setup/postgres/plan-reads.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const OLD = 3_000
const NEWER = 20_000
const WITHIN = 1_000
const FROM = Date.parse('2001-02-01')
const WINDOW = { from: new Date(FROM), to: new Date(FROM + WITHIN * 86_400_000) }

interface Statement {
  readonly text: string
  readonly values: unknown[]
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
  const account = await service.createAccount()
  const { pool } = service.runtime.db
  // A day apart each.
  for (const [rows, since] of [
    [OLD, `'2001-01-01'::timestamptz + n * interval '1 day'`],
    [NEWER, 'now()'],
  ] as const)
    await pool.query(
      `insert into audit_entry (account_id, action, actor_kind, created_at)
       select $1, 'credits_granted', 'operator', ${since} from generate_series(1, $2) n`,
      [account, rows],
    )
  await pool.query('vacuum analyze audit_entry')
})
afterAll(() => service.close())

/** How the statement that looks for the ids of a page is executed, with what PostgreSQL reckons a page of the disk costs by default. */
async function plansOf(input: AuditEntriesInput) {
  const { readPool, pool } = service.runtime.db
  const query = vi.spyOn(readPool, 'query')
  await auditEntries(service.runtime.as({ kind: 'system' }), input)
  const statements = query.mock.calls.map(([statement]: unknown[]) => statement as Statement)
  query.mockRestore()
  expect(statements.length).toBe(1)
  const client = await pool.connect()
  try {
    await client.query('begin; set local random_page_cost = 4')
    const { text, values } = statements[0]!
    return (await planReads(client, text, values)).map(({ index, rows }) => ({ index, rows }))
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const PAGES = [{ first: 5 }, { last: 5 }, { first: 5, actions: ['credits_granted'] as const }]

test.each([
  ['old', WINDOW],
  ['without an end', { from: new Date(FROM) }],
  ['without a beginning', { to: WINDOW.to }],
  ['of everything', { from: new Date(0), to: new Date('2999-01-01') }],
])('a page of a window %s reads its own entries by their times, of all accounts', async (_what, createdAt) => {
  const byTime = { index: 'audit_entry_created_at_id_idx', rows: 6 }
  for (const page of PAGES) expect(await plansOf({ all: true, createdAt, ...page })).toEqual([byTime])
})

test('the pages of a window follow each other in the order of time, both ways, and read nothing twice', async () => {
  const ctx = service.runtime.as({ kind: 'system' })
  const createdAt = { from: new Date(FROM - 86_400_000), to: new Date(FROM + 19 * 86_400_000) }
  const page = async (input: AuditEntriesInput) =>
    (await auditEntries(ctx, { all: true, createdAt, ...input })).edges.map(({ cursor, node }) => ({
      cursor,
      at: node.createdAt,
    }))
  const whole = await page({ first: 100 })
  expect(whole.length).toBe(20)
  expect(whole.map(({ at }) => at.getTime())).toEqual(whole.map((_, n) => FROM + (18 - n) * 86_400_000))
  const after = await page({ first: 5, after: whole[4]!.cursor })
  const before = await page({ last: 5, before: whole[10]!.cursor })
  expect(after).toEqual(whole.slice(5, 10))
  expect(before).toEqual(whole.slice(5, 10))
  const cursor = whole[4]!.cursor
  const key = { index: 'audit_entry_pkey', rows: 1 }
  const byTime = { index: 'audit_entry_created_at_id_idx', rows: 6 }
  expect(await plansOf({ all: true, createdAt, first: 5, after: cursor })).toEqual([key, byTime])
})
