import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS, migrationNames, readMigration } from '../../../src/db/migrations/migration-files.ts'
import { planMigrations } from '../../../src/db/migrations/plan-migrations.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { compareLocks } from '../../setup/postgres/step-locks.ts'

const LATER = '29990101000000_later'
const STEPS = `-- locks: job (ACCESS EXCLUSIVE), account (SHARE ROW EXCLUSIVE)
create table later (id text primary key, account_id text references account (id));
create index later_idx on later (account_id);
alter table job add column colour text;
-- in pages
-- locks: job (ROW EXCLUSIVE)
with page as (select id from job where id > coalesce($1, '') order by id limit 20),
  done as (update job set colour = 'blue' where id in (select id from page))
select max(id) as cursor, count(*) as rows from page;
-- in one transaction
-- locks: webhook_delivery (SHARE), job (ACCESS EXCLUSIVE)
create index webhook_delivery_url_idx on webhook_delivery (url);
alter table job_first add constraint job_first_colour_check check (colour <> 'red') not valid;
-- concurrently
-- locks: job_first (SHARE UPDATE EXCLUSIVE)
alter table job_first validate constraint job_first_colour_check;
-- Another one.
-- locks: account (SHARE UPDATE EXCLUSIVE)
create index concurrently account_created_at_idx on account (created_at);
drop index concurrently if exists later_idx`
const log = openLog('silent')

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())

const later = (sql: string) => workshop.write({ [LATER]: sql }, Number.POSITIVE_INFINITY)

describe('the plan of migrations', () => {
  test('says of each step what it declares to lock, which is what PostgreSQL locks', async () => {
    await migrate(workshop.db, log)
    const folder = await later(STEPS)
    const planned = await planMigrations(workshop.db.pool, folder)
    expect(planned.map(({ name }) => name)).toEqual([LATER])
    expect(planned[0]!.steps).toEqual([
      {
        runs: 'transaction',
        locks: [
          { table: 'job', mode: 'ACCESS EXCLUSIVE' },
          { table: 'account', mode: 'SHARE ROW EXCLUSIVE' },
        ],
      },
      { runs: 'pages', locks: [{ table: 'job', mode: 'ROW EXCLUSIVE' }] },
      {
        runs: 'transaction',
        locks: [
          { table: 'webhook_delivery', mode: 'SHARE' },
          { table: 'job', mode: 'ACCESS EXCLUSIVE' },
        ],
      },
      { runs: 'concurrently', locks: [{ table: 'job_first', mode: 'SHARE UPDATE EXCLUSIVE' }] },
      { runs: 'concurrently', locks: [{ table: 'account', mode: 'SHARE UPDATE EXCLUSIVE' }] },
      { runs: 'concurrently', locks: [] },
    ])
    const { declared, taken } = await compareLocks(workshop.db, await readMigration(folder, LATER))
    expect(taken).toEqual(declared)
  })

  test('a migration that does not declare a lock is found', async () => {
    await migrate(workshop.db, log)
    const folder = await later('alter table job add column colour text')
    const { declared, taken } = await compareLocks(workshop.db, await readMigration(folder, LATER))
    expect([declared, taken]).toEqual([[[]], [[{ table: 'job', mode: 'ACCESS EXCLUSIVE' }]]])
  })

  test('of a database that was never used locks nothing', async () => {
    const folder = await later(STEPS)
    for (const pool of [null, workshop.db.pool]) {
      const planned = await planMigrations(pool, folder)
      expect(planned.map(({ name }) => name)).toEqual([...(await migrationNames(MIGRATIONS)), LATER])
      expect(planned.flatMap(({ steps }) => steps.flatMap(({ locks }) => locks))).toEqual([])
    }
  })
})

test('each migration after the whole schema declares what it locks', async () => {
  const [whole = '', ...names] = await migrationNames(MIGRATIONS)
  await migrate(workshop.db, log, { only: [whole] })
  for (const name of names) {
    const { declared, taken } = await compareLocks(workshop.db, await readMigration(MIGRATIONS, name))
    expect([name, taken]).toEqual([name, declared])
  }
})
