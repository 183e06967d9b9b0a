import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase } from '../../setup/postgres/database.ts'
import { describeSchema, keepWriting, migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { sonantOn } from '../../setup/processes/process.ts'

const JOBS = 30_000
const LONGEST_WAIT_MS = 1_000
const log = openLog('silent')

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())

const ask = async (sql: string) => (await workshop.db.pool.query(sql)).rows

/** A database as the first version left it, with a history. */
async function seedFirstVersion(): Promise<void> {
  await migrate(workshop.db, log, { folder: await workshop.write({}, 1) })
  await ask(`insert into account (id, name) select 'acc_' || n, 'account ' || n from generate_series(1, 10) n`)
  await ask(`insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at, error_code)
    select 'job_' || lpad(n::text, 10, '0'), 'acc_' || n % 10 + 1, 'voice', 'tts', (array['completed', 'failed', 'queued'])[n % 3 + 1]::job_status, '{}',
      now(), case when n % 3 < 2 then now() end, case when n % 3 = 1 then 'JOB_CANCELLED' end from generate_series(1, ${JOBS}) n`)
}

const newJob = (n: number) => `insert into job (id, account_id, type, endpoint_key, inputs, created_at)
  values ('job_new_${n}', 'acc_1', 'voice', 'tts', '{}', now())`

describe('all migrations of a database in use', () => {
  test('keep no write waiting for a second, count every job, and lead to the schema of a new one', async () => {
    await seedFirstVersion()
    const writing = keepWriting(workshop.db, newJob)
    const ending = keepWriting(
      workshop.db,
      (n) => `update job set status = 'processing', attempt = 1 where id = 'job_' || lpad('${3 * n + 2}', 10, '0')`,
    )
    await migrate(workshop.db, log)
    const [{ longest, written }, ended] = await Promise.all([writing.stop(), ending.stop()])
    expect(Math.max(longest, ended.longest)).toBeLessThan(LONGEST_WAIT_MS)
    expect(ended.written).toBeGreaterThan(0)
    const counted = `select account_id, status::text, sum(jobs)::int as jobs from job_count group by 1, 2 having sum(jobs) <> 0 order by 1, 2`
    const there = `select account_id, status::text, count(*)::int as jobs from job group by 1, 2 order by 1, 2`
    expect(await ask(counted)).toEqual(await ask(there))
    expect((await ask('select count(*)::int as jobs from job'))[0].jobs).toBe(JOBS + written)
    const fresh = await createTestDatabase()
    const db = openDatabase(fresh.url, log)
    expect(await describeSchema(workshop.db)).toEqual(await describeSchema(db))
    await db.close()
    await fresh.drop()
  })

  test('are planned before, with their locks, and applied by a job of its own where MIGRATE is off', async () => {
    await migrate(workshop.db, log, { folder: await workshop.write({}, 1) })
    const env = { DATABASE_URL: workshop.url, MIGRATE: 'off' }
    const plan = (await sonantOn(env, 'migrate', '--plan')) as { pending: Record<string, unknown>[] }
    expect(plan.pending[0]).toEqual({
      migration: '20261121000100_count_jobs',
      begun: false,
      older_may_run: true,
      minimum_version: null,
      steps: [
        { runs: 'transaction', locks: [{ table: 'job', mode: 'SHARE ROW EXCLUSIVE' }] },
        { runs: 'transaction', locks: [] },
        ...Array(4).fill({ runs: 'concurrently', locks: [{ table: 'job', mode: 'SHARE UPDATE EXCLUSIVE' }] }),
      ],
    })
    const taken = (name: string) => plan.pending.find(({ migration }) => migration === name)?.steps as unknown[]
    expect(taken('20261122010000_roll_up_jobs')[0]).toMatchObject({
      locks: expect.arrayContaining([
        { table: 'job', mode: 'SHARE ROW EXCLUSIVE' },
        { table: 'artifact', mode: 'SHARE ROW EXCLUSIVE' },
      ]),
    })
    // What scans a table that was there before never keeps writes out.
    const locks = plan.pending
      .flatMap(({ steps }) => steps as { locks: { mode: string }[] }[])
      .flatMap((step) => step.locks)
    expect(locks.filter(({ mode }) => mode === 'SHARE')).toEqual([])
    expect(await ask(`select to_regclass('job_count') as made`)).toEqual([{ made: null }])
    expect(await sonantOn(env, 'migrate')).toEqual({ migrated: true })
    expect(await sonantOn(env, 'migrate', '--plan')).toEqual({ pending: [] })
  })
})
