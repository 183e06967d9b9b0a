import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/db/migrations/migration-files.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const LATER = {
  '29990101000000_widen_jobs': 'alter table job add column colour text; create table later (id int primary key);',
  '29990101000100_colour_jobs': `-- in pages
with page as (select id from job where id > coalesce($1, '') order by id limit 20),
  done as (update job set colour = 'blue' where id in (select id from page))
select max(id) as cursor, count(*) as rows from page;
-- in one transaction
alter table job add constraint job_colour_check check (colour <> 'red') not valid;
-- concurrently
alter table job validate constraint job_colour_check;
create index concurrently job_colour_idx on job (account_id, colour, id);`,
}
const LONGEST_WAIT_MS = 15_000
const TIMEOUT_MS = 60_000

let service: TestRuntime
let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  workshop = await migrationWorkshop()
})
afterAll(async () => {
  await service.close()
  await workshop.close()
})

test('a release that runs serves on while the next one migrates: no submission fails or waits, and every job ends', async () => {
  const { key } = await service.createCaller()
  const { db } = service.runtime
  const jobs: string[] = []
  let [longest, stopped] = [0, false]
  const submit = async () => {
    while (!stopped) {
      const since = performance.now()
      const answer = await fetch(`${service.url}/api/v1/voice/tts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ inputs: { text: 'Go on.', voice: 'aria' } }),
      })
      expect(answer.status).toBe(202)
      jobs.push(((await answer.json()) as { job_id: string }).job_id)
      longest = Math.max(longest, performance.now() - since)
    }
  }
  const submitting = submit()
  await until(async () => jobs.length >= 10, TIMEOUT_MS, 'some jobs')
  await migrate(db, openLog('silent'), { folder: await workshop.write(LATER, Number.POSITIVE_INFINITY) })
  const before = jobs.length
  await until(async () => jobs.length > before + 3, TIMEOUT_MS, 'jobs on the newer schema')
  stopped = true
  await submitting
  expect(longest).toBeLessThan(LONGEST_WAIT_MS)
  const open = `select count(*)::int as open from job where status <> 'completed'`
  await until(async () => (await db.pool.query(open)).rows[0].open === 0, TIMEOUT_MS, 'every job to be completed')
  // As a restart of this version would do it.
  await expect(migrate(db, openLog('silent'), { folder: MIGRATIONS })).resolves.toBeUndefined()
}, 120_000)
