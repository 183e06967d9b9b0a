import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'
import { keepWriting, migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'

const JOBS = 10_000
const LONGEST_WAIT_MS = 1_000
const log = openLog('silent')

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())
afterAll(cleanUp)

const ask = async (sql: string) => (await workshop.db.pool.query(sql)).rows

const LATER = `-- locks: job (ACCESS EXCLUSIVE)
alter table job add column colour text;
-- in pages
with page as (select id from job where id > coalesce($1, '') order by id limit 100),
  done as (update job set colour = 'blue' where id in (select id from page))
select max(id) as cursor, count(*) as rows from page;
-- in one transaction
-- locks: job (ACCESS EXCLUSIVE)
alter table job add constraint job_colour_check check (colour <> 'red') not valid;
-- concurrently
-- locks: job (SHARE UPDATE EXCLUSIVE)
alter table job validate constraint job_colour_check;
-- locks: job (SHARE UPDATE EXCLUSIVE)
create index concurrently job_colour_idx on job (account_id, colour, id);`

async function seedJobs(): Promise<void> {
  await ask(`insert into account (id, name) select 'acc_' || n, 'account ' || n from generate_series(1, 10) n`)
  await ask(`insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at, error_code)
    select 'job_' || lpad(n::text, 10, '0'), 'acc_' || n % 10 + 1, 'voice', 'tts', (array['completed', 'failed', 'queued'])[n % 3 + 1]::job_status, '{}',
      now(), case when n % 3 < 2 then now() end, case when n % 3 = 1 then 'JOB_CANCELLED' end from generate_series(1, ${JOBS}) n`)
}

const newJob = (n: number) => `insert into job (id, account_id, type, endpoint_key, inputs, created_at)
  values ('job_new_${n}', 'acc_1', 'voice', 'tts', '{}', now())`

describe('a migration of a database in use', () => {
  test('keeps no write waiting for a second, and counts every job', async () => {
    await migrate(workshop.db, log)
    await seedJobs()
    const writing = keepWriting(workshop.db, newJob)
    const ending = keepWriting(
      workshop.db,
      (n) => `update job set status = 'processing', attempt = 1 where id = 'job_' || lpad('${3 * n + 2}', 10, '0')`,
    )
    await migrate(workshop.db, log, { folder: await workshop.write({ '29990101000000_later': LATER }, 1) })
    const [{ longest, written }, ended] = await Promise.all([writing.stop(), ending.stop()])
    expect(Math.max(longest, ended.longest)).toBeLessThan(LONGEST_WAIT_MS)
    expect(ended.written).toBeGreaterThan(0)
    const counted = `select account_id, status::text, sum(jobs)::int as jobs from job_count group by 1, 2 having sum(jobs) <> 0 order by 1, 2`
    const there = `select account_id, status::text, count(*)::int as jobs from job group by 1, 2 order by 1, 2`
    expect(await ask(counted)).toEqual(await ask(there))
    expect((await ask('select count(*)::int as jobs from job'))[0].jobs).toBe(JOBS + written)
    expect(await ask(`select indisvalid as valid from pg_index where indexrelid = 'job_colour_idx'::regclass`)).toEqual(
      [{ valid: true }],
    )
  })

  test('is planned before, and applied by a job of its own where MIGRATE is off', async () => {
    const env = { DATABASE_URL: workshop.url, DATA_DIR: await makeTempDir(), MIGRATE: 'off' }
    const plan = await sonantHere<{ pending: object[] }>(env, 'migrate', '--plan')
    expect(plan.pending[0]).toEqual({
      migration: '20261129000000_whole_schema',
      begun: false,
      older_may_run: true,
      minimum_version: null,
      steps: [{ runs: 'transaction', locks: [] }],
    })
    expect(await ask(`select to_regclass('job_count') as made`)).toEqual([{ made: null }])
    expect(await sonantHere(env, 'migrate')).toEqual({ migrated: true })
    expect(await sonantHere(env, 'migrate', '--plan')).toEqual({ pending: [] })
  })
})
