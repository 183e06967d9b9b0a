import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statsOfRows } from '../../../src/jobs/list/job-stats.ts'
import type { JobGroup } from '../../../src/jobs/list/stats-request.ts'
import { idAt } from '../../setup/jobs/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const JOBS = 20_000
const DAYS = 40
/** Durations are spread evenly below it. */
const LONGEST_MS = 5000

let service: TestRuntime
let account: string
beforeAll(async () => {
  service = await startTestRuntime()
  account = (await service.createCaller()).account
  await service.runtime.db.pool.query(
    `insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at)
     select $1 || lpad(n::text, 16, '0'), $2, 'generate', 'x', 'completed', '{}', at, at + n % $5::integer * interval '1 ms'
     from (select n, '2026-02-02'::timestamptz + n * interval '1 day' * $4 / $3 as at from generate_series(1, $3::integer) n) jobs`,
    [idAt(new Date('2026-02-02')).slice(0, 14), account, JOBS, DAYS, LONGEST_MS],
  )
  await service.runtime.db.pool.query('vacuum analyze job')
})
afterAll(() => service.close())

interface Plan {
  readonly 'Node Type': string
  readonly 'Plan Rows': number
  readonly Plans?: readonly Plan[]
}

/** From the top to what reads jobs. */
async function planOf(from: number, groupBy: readonly JobGroup[]): Promise<Plan[]> {
  const { text, values } = statsOfRows(account, { filter: { durationMs: { from } }, groupBy, measures: new Set() })
  const { rows } = await service.runtime.db.pool.query(`explain (format json) ${text}`, values)
  const plans: Plan[] = []
  for (let plan: Plan | undefined = rows[0]['QUERY PLAN'][0].Plan; plan !== undefined; plan = plan.Plans?.[0])
    plans.push(plan)
  return plans
}

describe('statistics of jobs by their duration', () => {
  test('of nearly all read the table in its order, of few the index, as the planner knows how many there are', async () => {
    const [most, few] = [(await planOf(LONGEST_MS / 20, [])).at(-1), (await planOf(LONGEST_MS * 0.999, [])).at(-1)]
    expect(most?.['Node Type']).toBe('Seq Scan')
    expect(most?.['Plan Rows']).toBeGreaterThan(JOBS * 0.9)
    expect(few?.['Node Type']).toMatch(/Index Scan|Bitmap/)
    expect(few?.['Plan Rows']).toBeLessThan(JOBS * 0.01)
  })

  test.each<[JobGroup, number]>([
    ['day', DAYS],
    ['hour', DAYS * 24],
  ])('by %s are added up without sorting the jobs', async (group, groups) => {
    const plans = await planOf(0, [group])
    const added = plans.find((plan) => plan['Node Type'] === 'Aggregate')
    expect(added?.['Plan Rows']).toBeLessThan(2 * groups)
    expect(plans.slice(plans.indexOf(added as Plan)).map((plan) => plan['Node Type'])).toEqual([
      'Aggregate',
      'Seq Scan',
    ])
  })
})
