import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { openBoss } from '../../../src/queue/pgboss/boss.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'

/** Of the tables of pg-boss, what the statements in src/queue/pgboss name: a new version of pg-boss has to keep it. */
const JOB_COLUMNS = {
  id: 'uuid',
  name: 'text',
  data: 'jsonb',
  state: 'job_state',
  group_id: 'text',
  group_tier: 'text',
  start_after: 'timestamptz',
  created_on: 'timestamptz',
  started_on: 'timestamptz',
  heartbeat_on: 'timestamptz',
  retry_count: 'int4',
  blocked: 'bool',
}
const WAITING = `((state < 'active'::pgboss.job_state) AND (NOT blocked))`

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url, openLog('silent'))
  const boss = await openBoss(db, openLog('silent'), false)
  await boss.stop({ graceful: false, close: false })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const columnsOf = async (table: string): Promise<Record<string, string>> => {
  const { rows } = await db.pool.query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns
     where table_schema = 'pgboss' and table_name = $1`,
    [table],
  )
  return Object.fromEntries(rows.map(({ name, type }) => [name, type]))
}

describe("pg-boss's tables", () => {
  test.each(['job', 'job_common'])('%s has the columns that statements of this service name', async (table) => {
    expect(await columnsOf(table)).toMatchObject(JOB_COLUMNS)
  })

  test('queue has the columns that statements of this service name', async () => {
    expect(await columnsOf('queue')).toMatchObject({ name: 'text', expire_seconds: 'int4' })
  })

  test('waiting states come before active ones, and ended ones after', async () => {
    const { rows } = await db.pool.query('select enum_range(null::pgboss.job_state)::text as states')
    expect(rows).toEqual([{ states: '{created,retry,active,completed,cancelled,failed}' }])
  })

  test('every row of job lies in job_common, where jobs are claimed', async () => {
    const { rows } = await db.pool.query(`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'pgboss.job'::regclass`)
    expect(rows).toEqual([{ name: 'pgboss.job_common' }])
  })

  test.each([
    ['job_common_pkey', `UNIQUE INDEX job_common_pkey ON pgboss.job_common USING btree (name, id)`],
    [
      'sonant_turns',
      `INDEX sonant_turns ON pgboss.job_common USING btree (name, group_tier, ((priority > 0)), group_id, created_on) WHERE ${WAITING}`,
    ],
    [
      'job_common_i7',
      `INDEX job_common_i7 ON pgboss.job_common USING btree (name, group_id) WHERE ((state = 'active'::pgboss.job_state) AND (group_id IS NOT NULL))`,
    ],
  ])('claims and rescues find their rows by the index %s', async (name, definition) => {
    const { rows } = await db.pool.query(
      `select indexdef from pg_indexes where schemaname = 'pgboss' and indexname = $1`,
      [name],
    )
    expect(rows).toEqual([{ indexdef: `CREATE ${definition}` }])
  })
})
