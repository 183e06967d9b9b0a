import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { firstIdAt } from '../../../src/values/id.ts'
import { tidyWebhooks } from '../../../src/webhooks/delivery/tidy-webhooks.ts'
import { afterStatement } from '../../setup/postgres/after-statement.ts'
import { askedThrough } from '../../setup/postgres/asked-through.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, multiply, type Owner, WEBHOOK_ENV } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const KEPT = 40_000
/** More than one page of a purge. */
const OLD = 6000
/** More than one page of waiting deliveries. */
const WAITING = 21_000

const TIMEOUT_MS = 60_000
const WAITS_FOR_A_ROW = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

let service: TestRuntime
let owner: Owner

beforeAll(async () => {
  service = await startTestRuntime({ env: WEBHOOK_ENV })
  owner = await createOwner(service, 'https://127.0.0.1:9443/')
})
afterAll(() => service?.close())

const sql = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)
const count = async (where: string) =>
  (await sql(`select count(*)::int as n from webhook_delivery where ${where}`)).rows[0].n as number

/** Finished deliveries, ended and made so long ago; each name begins their ids. */
const insert = (name: string, rows: number, age: string, body: string | null) =>
  sql(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, attempt, state, outcome,
       next_attempt_at, created_at, finished_at)
     select $1 || n, $2, 'test', $3 || n, 'https://127.0.0.1:9443/', 1, 'v1,x', $4::text::bytea, 1, 'succeeded', 'succeeded',
       now() - $5::interval, now() - $5::interval, now() - $5::interval
     from generate_series(1, $6::int) n`,
    [`${name}_`, owner.account, firstIdAt('job', new Date()), body, age, rows],
  )

/** The database, and how it would run each statement it is asked. */
function explaining(db: Database) {
  const plans: string[] = []
  const explained = askedThrough(db, async (text, ask, ...given) => {
    if (/webhook_/.test(text)) {
      const { rows } = await ask(`explain ${text}`, ...given.slice(1))
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    }
    return ask(...given)
  })
  return { db: explained, plans }
}

describe('tidyWebhooks', () => {
  test('reads what it purges and nothing of what stays', async () => {
    await insert('kept', KEPT, '2 days', null)
    await insert('fresh', 100, '1 minute', '{}')
    await insert('due', OLD, '1 hour', '{}')
    await insert('gone', OLD, '31 days', null)
    await sql(
      `insert into webhook_secret (account_id, sealed, expires_at)
       select $1, '\\x00', case when n % 1000 = 0 then now() - interval '1 second' end from generate_series(1, 20000) n`,
      [await service.createAccount()],
    )
    await sql('analyze webhook_delivery, webhook_secret')
    const { db, plans } = explaining(service.runtime.db)
    await tidyWebhooks({ ...service.runtime, db })
    expect(plans.length).toBeGreaterThanOrEqual(4)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on webhook_')
    expect(await count(`id like 'gone%'`)).toBe(0)
    expect(await count(`id like 'due%' and body is null`)).toBe(OLD)
    expect(await count(`id like 'fresh%' and body is not null`)).toBe(100)
    expect(await count(`id like 'kept%'`)).toBe(KEPT)
    const { rows } = await sql('select count(*)::int as n from webhook_secret where expires_at is not null')
    expect(rows).toEqual([{ n: 0 }])
  })

  test('what was sent again meanwhile keeps its body, and so does what has not ended', async () => {
    await insert('again', 1, '1 hour', '{}')
    const other = await service.runtime.db.pool.connect()
    try {
      await other.query(BEGIN_HELD)
      await other.query(
        `update webhook_delivery set state = 'pending', finished_at = null, outcome = null, next_attempt_at = now() where id = 'again_1'`,
      )
      const tidied = tidyWebhooks(service.runtime)
      const waits = async () => (await sql(WAITS_FOR_A_ROW)).rowCount === 1
      await until(waits, TIMEOUT_MS, 'the purge to find the row taken')
      await other.query('commit')
      await tidied
    } finally {
      other.release()
    }
    await tidyWebhooks(service.runtime)
    expect(await count(`id = 'again_1' and body is not null`)).toBe(1)
  })

  test('queues no delivery again that ends while it looks, with its place or without', async () => {
    const ids = [await owner.sendTest(), await owner.sendTest()]
    await sql(`update webhook_delivery set next_attempt_at = now() - interval '2 minutes' where id = any($1)`, [ids])
    await sql(`delete from pgboss.job where data->>'jobId' = $1`, [ids[1]])
    // As a worker records a success: in one statement.
    const succeed = () =>
      sql(
        `with dequeued as (delete from pgboss.job where data->>'jobId' = any($1))
         update webhook_delivery set state = 'succeeded', outcome = 'succeeded', finished_at = now() where id = any($1)`,
        [ids],
      )
    const search = /lost as materialized.*from webhook_delivery\s+where state = 'pending'/s
    const stepped = afterStatement(service.runtime.db, search, succeed)
    await tidyWebhooks({ ...service.runtime, db: stepped.db })
    expect(stepped.count(search)).toBeGreaterThan(0)
    expect(await count(`id in ('${ids.join("', '")}') and state = 'succeeded'`)).toBe(2)
    const { rows } = await sql(`select state from pgboss.job where data->>'jobId' = any($1)`, [ids])
    expect(rows).toEqual([])

    const idle = afterStatement(service.runtime.db, search, async () => undefined)
    await tidyWebhooks({ ...service.runtime, db: idle.db })
    expect(idle.count(/pgboss/), 'reads of the queue where nothing is overdue').toBe(0)
  })

  test('finds the one delivery that is lost behind any number that only wait', async () => {
    const id = await owner.sendTest()
    const age = `interval '10 minutes'`
    await sql(`update webhook_delivery set next_attempt_at = now() - ${age} where id = $1`, [id])
    await multiply(service.runtime, id, WAITING)
    const lost = await owner.sendTest()
    await sql(`update webhook_delivery set next_attempt_at = now() - interval '2 minutes' where id = $1`, [lost])
    await sql(`delete from pgboss.job where data->>'jobId' = $1`, [lost])
    await tidyWebhooks(service.runtime)
    const copy = `${id.slice(0, -5)}10000`
    const { rows } = await sql(
      `select data->>'jobId' as id, count(*)::int as n from pgboss.job where data->>'jobId' = any($1) group by 1 order by 2`,
      [[lost, id, copy]],
    )
    expect(rows).toEqual(expect.arrayContaining([lost, id, copy].map((each) => ({ id: each, n: 1 }))))
    expect(rows).toHaveLength(3)
  })

  test('queues a lost delivery once, by two processes that find it at the same moment', async () => {
    const lost = await owner.sendTest()
    await sql(`update webhook_delivery set next_attempt_at = now() - interval '2 minutes' where id = $1`, [lost])
    await sql(`delete from pgboss.job where data->>'jobId' = $1`, [lost])
    const other = await service.runtime.db.pool.connect()
    let settled = 0
    await other.query(`${BEGIN_HELD}; lock table pgboss.job_common in exclusive mode`)
    const tidying = [1, 2].map(() => tidyWebhooks(service.runtime).finally(() => settled++))
    const bothHaveRead = async () => (await sql(WAITS_FOR_A_ROW)).rowCount === 2 - settled
    await until(bothHaveRead, TIMEOUT_MS, 'each to wait or to be done').finally(() => other.query('rollback'))
    other.release()
    await Promise.all(tidying)
    const { rows } = await sql(`select count(*)::int as n from pgboss.job where data->>'jobId' = $1`, [lost])
    expect(rows).toEqual([{ n: 1 }])
  })
})
