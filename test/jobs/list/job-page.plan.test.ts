import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PageQuery, pageQueries, toPageQuery } from '../../../src/jobs/list/job-page.ts'
import { type FilterParameters, toJobsFilter } from '../../../src/jobs/list/jobs-filter.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { planReads } from '../../setup/postgres/plan-reads.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const JOBS = 30_000
/** One job in so many has a verdict, one in so many failed: far too few to be met on the way from the newest on. */
const RARE = 1_000
const LIMIT = 5

let service: TestRuntime
let caller: { account: string; key: string; keyId: string }
beforeAll(async () => {
  service = await startTestRuntime()
  caller = await service.createCaller()
  await service.runtime.db.pool.query(
    `insert into job (id, account_id, type, endpoint_key, status, api_key_id, inputs, created_at, completed_at, error_code, is_prohibited)
     select $1 || lpad(n::text, 16, '0'), $2, (case when n % ${RARE} < 2 then 'companion_chat' else 'generate' end)::job_type, 'x',
       (case n % ${RARE} when 5 then 'failed' when 6 then 'queued' else 'completed' end)::job_status,
       case when n % ${RARE} = 8 then $3 end, '{}', '2026-02-02', case when n % ${RARE} <> 6 then timestamp '2026-02-03' end,
       case when n % ${RARE} = 5 then 'RENDER_FAILED' end, case n % ${RARE} when 0 then true when 1 then false end
     from generate_series(1, ${JOBS}) n`,
    [idAt(new Date('2026-02-02')).slice(0, 14), caller.account, caller.keyId],
  )
  await service.runtime.db.pool.query('vacuum analyze job')
})
afterAll(() => service.close())

/** The reads of a statement on jobs: each index with its rows. */
const readsBy = async (sql: string, values: readonly unknown[]) =>
  (await planReads(service.runtime.db.pool, sql, values))
    .filter(({ table }) => table === 'job')
    .map(({ index, rows }) => ({ index, rows }))

function readsOf(filter: FilterParameters) {
  const { page, values } = toPageQuery(caller.account, toJobsFilter(filter), LIMIT, 0)
  return readsBy(`select * from ${page} j where $1::text is not null`, values)
}

describe('a page of jobs', () => {
  test.each<[string, FilterParameters, string]>([
    ['decision=pass', { decision: 'pass' }, 'job_account_id_is_prohibited_id_idx'],
    ['decision=reject', { decision: 'reject' }, 'job_account_id_is_prohibited_id_idx'],
    ['status=failed', { status: ['failed'] }, 'job_account_id_status_id_idx'],
    ['status=queued', { status: ['queued'] }, 'job_account_id_status_id_idx'],
    ['type=companion_chat', { type: 'companion_chat' }, 'job_account_id_type_id_idx'],
  ])('with %s reads its rows from the index of that filter, and no others', async (search, filter, index) => {
    expect(await readsOf(filter)).toEqual([{ index, rows: LIMIT }])
    const page = await call(`${service.url}/api/v1/jobs?limit=${LIMIT}&${search}`, { key: caller.key })
    expect(page.json<{ jobs: unknown[]; total: number }>()).toMatchObject({
      jobs: Array(LIMIT).fill({}),
      total: filter.type ? (2 * JOBS) / RARE : JOBS / RARE,
    })
  })

  test('of a key reads it from the index of keys', async () => {
    expect(await readsOf({ apiKeyId: caller.keyId })).toEqual([
      { index: 'job_account_id_api_key_id_id_idx', rows: LIMIT },
    ])
  })

  test('of several statuses reads each from its own end of the index', async () => {
    const reads = await readsOf({ status: ['queued', 'failed'] })
    expect(reads.map(({ index }) => index)).toEqual(Array(2).fill('job_account_id_status_id_idx'))
    for (const { rows } of reads) expect(rows).toBeLessThanOrEqual(LIMIT)
  })

  test('of a key is counted without reading its jobs', async () => {
    const { total, values } = toPageQuery(caller.account, toJobsFilter({ apiKeyId: caller.keyId }), LIMIT, 0)
    const reads = await readsBy(`select ${total} as total`, values)
    expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBe(0)
    const page = await call(`${service.url}/api/v1/jobs?api_key_id=${caller.keyId}`, { key: caller.key })
    expect(page.json()).toMatchObject({ total: JOBS / RARE })
  })

  test('without a filter reads no more than it shows', async () => {
    expect((await readsOf({})).map(({ rows }) => rows)).toEqual([LIMIT])
  })

  test.each<[string, FilterParameters, number]>([
    ['from before its first job', { from: new Date('2026-02-01') }, JOBS],
    ['to after its last job', { to: new Date('2026-11-20') }, JOBS],
    ['in the middle of an hour', { from: new Date('2026-02-01T00:30:00Z') }, JOBS],
    ['both', { from: new Date('2026-02-01'), to: new Date('2026-11-20'), status: ['failed'] }, JOBS / RARE],
  ])('of a window is counted without counting what is in it, %s', async (_what, filter, jobs) => {
    const { page, total, values } = toPageQuery(caller.account, toJobsFilter(filter), LIMIT, 0)
    const reads = await readsBy(`select ${total} as total, (select count(*) from ${page} j)`, values)
    expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(LIMIT + 1)
    const { rows } = await service.runtime.db.pool.query(`select ${total} as total, (select count(*) from ${page} j)`, [
      ...values,
    ])
    expect(Number(rows[0].total)).toBe(jobs)
  })

  const DAY = { from: new Date('2026-02-02'), to: new Date('2026-02-03') }

  test.each<[string, FilterParameters]>([
    ['of a day', DAY],
    ['of ids that begin alike', { search: idAt(new Date('2026-02-02')).slice(0, 14) }],
  ])('%s is first counted up to 5,000 jobs, by the index of its account, then as any', async (_what, filter) => {
    const queries = pageQueries(caller.account, toJobsFilter(filter), { limit: LIMIT, offset: 0, now: new Date() })
    expect(queries.map(({ countsTo, isLong }) => [countsTo, isLong])).toEqual([
      [5000, false],
      [Number.POSITIVE_INFINITY, true],
    ])
    const [{ total, values }] = queries as [PageQuery]
    expect(await readsBy(`select ${total} as total`, values)).toEqual([{ index: 'job_account_id_id_idx', rows: 5001 }])
    const search = new URLSearchParams(
      Object.entries(filter).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString() : String(value),
      ]),
    )
    const page = await call(`${service.url}/api/v1/jobs?limit=${LIMIT}&${search}`, { key: caller.key })
    expect(page.json()).toMatchObject({ jobs: Array(LIMIT).fill({}), total: JOBS })
  })

  test.each<[string, FilterParameters, number]>([
    ['of more than two days', { ...DAY, to: new Date('2026-02-04T00:00:00.001Z') }, 0],
    ['of a day up to anything', { to: DAY.to }, 0],
    ['of the last two days', { from: new Date('2026-02-03') }, 0],
    ['of a day, with another filter', { ...DAY, status: ['failed'] }, 0],
    ['of a day, far down', DAY, 1001],
  ])('%s is not expected to have few jobs', (_what, filter, offset) => {
    const at = { limit: LIMIT, offset, now: new Date('2026-02-05T00:00:00.001Z') }
    expect(pageQueries(caller.account, toJobsFilter(filter), at)).toHaveLength(1)
  })

  test('of a window with few jobs takes no share of the long reads of its account', async () => {
    const few = await service.createCaller()
    const start = Date.now() - 60_000
    const from = new Date(start - 3_600_000).toISOString()
    const ids: string[] = []
    for (let made = 0; made < 3; made++)
      ids.unshift(await insertJob(service.runtime.db, few.account, { id: idAt(new Date(start + made)) }))
    const { readShares } = service.runtime.db
    const held = [await readShares.acquire(few.account), await readShares.acquire(few.account)]
    try {
      const page = await call(`${service.url}/api/v1/jobs?from=${from}`, { key: few.key })
      expect(page.json()).toMatchObject({ jobs: ids.map((job_id) => ({ job_id })), total: 3 })
      expect((await call(`${service.url}/api/v1/jobs?from=2026-01-01`, { key: few.key })).status).toBe(429)
    } finally {
      for (const release of held) release()
    }
  })
})
