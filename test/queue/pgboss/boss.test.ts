import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, inTransaction, openDatabase } from '../../../src/db/database.ts'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import { openBoss } from '../../../src/queue/pgboss/boss.ts'
import { bossDatabase } from '../../../src/queue/pgboss/boss-database.ts'
import { enqueueing } from '../../../src/queue/pgboss/enqueue.ts'
import { newId } from '../../../src/values/id.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'

/** The statements in src/queue/pgboss name these tables and columns of pg-boss; a new version has to keep them. */
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
let boss: Awaited<ReturnType<typeof openBoss>>
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url, openLog('silent'))
  boss = await openBoss(db, openLog('silent'), false)
})
afterAll(async () => {
  await boss.stop({ graceful: false, close: false })
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
      'sonant_within_limits',
      `INDEX sonant_within_limits ON pgboss.job_common USING btree (name, group_id) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked) AND ((data ? 'worker'::text) OR (strpos(group_id, '/'::text) > 0)))`,
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

describe('a queued row', () => {
  const kind = voiceKind('compared')
  const queue = enqueueing({ prepare: () => Promise.resolve(), wake: () => false })
  const rowOf = async (jobId: string) => {
    const { rows } = await db.pool.query(
      `select to_jsonb(j) - '{id,data,created_on,start_after,keep_until}'::text[] as rest, data - 'requestId' - 'trace' - 'jobId' as data,
         extract(epoch from start_after - created_on) as delay, extract(epoch from keep_until - start_after) as kept
       from pgboss.job j where data->>'jobId' = $1`,
      [jobId],
    )
    return rows
  }

  test.each([
    [
      'of an account that waits',
      { fairShare: { accountId: 'acct_1', server: 's' } },
      { group: { id: 'acct_1', tier: 's' } },
    ],
    [
      'that somebody waits for',
      { fairShare: { accountId: 'acct_1', server: 's', isAwaited: true } },
      { group: { id: 'acct_1', tier: 's' }, priority: 1 },
    ],
    ['for later', { delaySeconds: 90 }, { group: { id: '-', tier: '-' }, startAfter: '90 seconds' }],
  ] as const)("%s is the row that pg-boss's send inserts", async (_title, options, sent) => {
    await boss.createQueue(kind.queue, { retryLimit: 7, retryDelay: 3, heartbeatSeconds: 10, deleteAfterSeconds: 60 })
    const [ours, theirs] = [newId('job', new Date()), newId('job', new Date())]
    await inTransaction(db, (tx) => queue.enqueue(tx, kind, [{ id: ours, ...options }]))
    await boss.send(kind.queue, { jobId: theirs }, { ...sent, db: bossDatabase(db.pool) })
    const [mine, its] = [await rowOf(ours), await rowOf(theirs)]
    expect(mine).toHaveLength(1)
    expect(mine).toEqual(its)
  })
})
