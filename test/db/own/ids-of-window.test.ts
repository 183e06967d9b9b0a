import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AuditEntriesInput, auditEntries } from '../../../src/accounts/audit-entries.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const OLD = 3_000
const NEWER = 20_000
const WITHIN = 1_000
const FROM = Date.parse('2001-02-01')
const WINDOW = { from: new Date(FROM), to: new Date(FROM + WITHIN * 86_400_000) }

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
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

const leavesOf = (plan: Plan): Plan[] => (plan.Plans === undefined ? [plan] : plan.Plans.flatMap(leavesOf))

/** How the statement that looks for the ids of a page is executed, with what PostgreSQL reckons a page of the disk costs by default. */
async function plansOf(input: AuditEntriesInput): Promise<{ index: string | undefined; rows: number }[]> {
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
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
    return leavesOf(rows[0]['QUERY PLAN'][0].Plan as Plan).map((leaf) => ({
      index: leaf['Index Name'],
      rows: (leaf['Actual Rows'] ?? 0) + (leaf['Rows Removed by Filter'] ?? 0),
    }))
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('an old window of the audit of all accounts reads its own entries by their times, and nothing that came after it', async () => {
  const byTime = { index: 'audit_entry_created_at_id_idx', rows: WITHIN }
  for (const page of [{ first: 5 }, { last: 5 }, { first: 5, actions: ['credits_granted'] as const }])
    expect(await plansOf({ all: true, createdAt: WINDOW, ...page })).toEqual([byTime])
})
