import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPageQuery } from '../../../src/jobs/list/job-page.ts'
import { type FilterParameters, toJobsFilter } from '../../../src/jobs/list/jobs-filter.ts'
import { keepPartitions } from '../../../src/jobs/partitions/keep-partitions.ts'
import { readPartitions } from '../../../src/jobs/partitions/partitions.ts'
import { idAt } from '../../setup/jobs/jobs.ts'
import { planReads } from '../../setup/postgres/plan-reads.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const DAY_MS = 86_400_000
const JOBS = 2_000
const LIMIT = 5

let service: TestRuntime
let account: string
/** The newest comes last; it is the one that jobs are put into now. */
let partitions: string[]
beforeAll(async () => {
  service = await startTestRuntime()
  account = (await service.createCaller()).account
  for (const days of [-30, -20, -10, 0]) {
    const now = new Date(service.runtime.now().getTime() + days * DAY_MS)
    await service.runtime.db.pool.query(
      `insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at, error_code)
       select $1 || lpad(n::text, 16, '0'), $2, 'generate', 'x', (case when n % 10 = 0 then 'failed' else 'completed' end)::job_status, '{}', $3, $3,
         case when n % 10 = 0 then 'RENDER_FAILED' end
       from generate_series(1, ${JOBS}) n`,
      [idAt(now).slice(0, 14), account, now],
    )
    await service.runtime.db.pool.query('vacuum analyze job')
    if (days < 0) await keepPartitions({ ...service.runtime, now: () => now }, { jobs: 1, days: 1, fewest: 1 })
  }
  const all = (await readPartitions(service.runtime.db.pool)).filter(({ table }) => table === 'job')
  partitions = all.toSorted((a, b) => (a.from ?? '').localeCompare(b.from ?? '')).map(({ name }) => name)
})
afterAll(() => service.close())

/** How many rows of each partition a page reads, and what counts all that it is a page of. */
async function readsOf(filter: FilterParameters): Promise<number[]> {
  const { page, total, values } = toPageQuery(account, toJobsFilter(filter), LIMIT, 0)
  const text = `select ${total} as total, (select count(*) from ${page} j) as shown`
  const reads = await planReads(service.runtime.db.pool, text, values)
  return partitions.map((name, at) =>
    reads.filter(({ table }) => table === (at === 0 ? 'job' : name)).reduce((sum, { rows }) => sum + rows, 0),
  )
}

describe('a page of jobs in several partitions', () => {
  test.each<[string, FilterParameters]>([
    ['without a filter', {}],
    ['of a status', { status: ['failed'] }],
    ['of a type', { type: 'generate' }],
  ])('%s reads no more of the newest than it shows, and one row of each other at most', async (_what, filter) => {
    expect(partitions).toHaveLength(4)
    const reads = await readsOf(filter)
    expect(reads.pop()).toBe(LIMIT)
    expect(Math.max(...reads)).toBeLessThanOrEqual(1)
  })

  test('of a window reads nothing of those that begin after it', async () => {
    const to = new Date(service.runtime.now().getTime() - 15 * DAY_MS)
    const [first, second, ...later] = await readsOf({ to })
    expect(first).toBeLessThanOrEqual(1)
    expect(second).toBeGreaterThanOrEqual(LIMIT)
    expect(later).toEqual([0, 0])
  })
})
