import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'

const LATER = { '29990101000000_later': 'lock table job, artifact in access exclusive mode' }
const LONGEST_WAIT_MS = 1_000
/** The step waits this long for its first lock. Together with the wait granted for one lock this is more than a write may wait. */
const FIRST_WAIT_MS = 500
const log = openLog('silent')

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())

const ask = async (sql: string) => (await workshop.db.pool.query(sql)).rows
const insertion = (id: string) => `insert into job (id, account_id, type, endpoint_key, inputs, created_at)
  values ('${id}', 'a', 'voice', 'tts', '{}', now())`

/** How long the step waits for this table by now, and since when its transaction runs; undefined: it does not wait for it. */
async function stepWaits(table: string): Promise<{ ms: number; since: string } | undefined> {
  const [waits] =
    await ask(`select extract(epoch from clock_timestamp() - l.waitstart)::float8 * 1000 as ms, a.xact_start::text as since
    from pg_stat_activity a join pg_locks l using (pid)
    where a.application_name = 'sonant migrate' and a.datname = current_database() and not l.granted and l.relation = '${table}'::regclass`)
  return waits as { ms: number; since: string } | undefined
}

/** Inserts jobs until it is stopped, and returns how long the longest one was in PostgreSQL until its row was made, in milliseconds. */
function keepInserting() {
  let [stopped, longest] = [false, 0]
  const run = async () => {
    for (let n = 0; !stopped; n++) {
      const [inserted] = await ask(
        `${insertion(`job_new_${n}`)} returning extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as ms`,
      )
      longest = Math.max(longest, inserted!.ms)
    }
    return longest
  }
  const running = run()
  running.catch(() => undefined)
  return () => {
    stopped = true
    return running
  }
}

/** Holds `job` until a step has waited for it for a while; once that step has it, and waits for `artifact`, returns when it began. */
async function untilBothAreWaitedFor(): Promise<string> {
  const writer = await workshop.db.pool.connect()
  try {
    for (let tries = 0; ; tries++) {
      await writer.query(`begin; ${insertion(`job_held_${tries}`)}`)
      const waits = async () => ((await stepWaits('job'))?.ms ?? 0) > FIRST_WAIT_MS
      await expect.poll(waits, { timeout: 20_000, interval: 20 }).toBe(true)
      const held = await stepWaits('job')
      await writer.query('commit')
      // Unless it has given up just before.
      for (let looks = 0; held !== undefined && looks < 20; looks++) {
        const next = await stepWaits('artifact')
        if (next?.since === held.since) return next.since
      }
    }
  } finally {
    writer.release()
  }
}

describe('the waits of a step for its locks', () => {
  test('keep no write waiting for a second together, where one statement waits for one table after the other', async () => {
    await migrate(workshop.db, log)
    const folder = await workshop.write(LATER, 1)
    await ask(`insert into account (id, name) values ('a', 'a')`)
    const reader = await workshop.db.pool.connect()
    await reader.query('begin; select from artifact')
    const stop = keepInserting()
    const migrated = migrate(workshop.db, log, { folder })
    const since = await untilBothAreWaitedFor()
    await expect
      .poll(async () => (await stepWaits('artifact'))?.since === since, { timeout: 20_000, interval: 20 })
      .toBe(false)
    const longest = await stop()
    await reader.query('rollback')
    reader.release()
    await migrated
    expect(longest).toBeGreaterThan(FIRST_WAIT_MS)
    expect(longest).toBeLessThan(LONGEST_WAIT_MS)
  })

  test('are no part of what it does itself, which takes as long as it takes', async () => {
    await migrate(workshop.db, log, { folder: await workshop.write({ '1_thing': 'create table thing ()' }) })
    const slow = 'lock table thing; select pg_sleep(0.9)'
    await migrate(workshop.db, log, { folder: await workshop.write({ '1_thing': '', '2_slow': slow }) })
    expect(await ask('select finished_at is not null as finished from _prisma_migrations')).toEqual([
      { finished: true },
      { finished: true },
    ])
  }, 30_000)

  test('that nobody sums up any more, as that connection is lost, leave nothing of the step, which the next start runs', async () => {
    const [things, slow] = ['create table thing ()', 'select pg_sleep(1); create table slow ()']
    await migrate(workshop.db, log, { folder: await workshop.write({ '1_thing': things }) })
    const folder = await workshop.write({ '1_thing': things, '2_slow': slow })
    const broken = expect(migrate(workshop.db, log, { folder })).rejects.toThrow(/connection error|terminat/)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'sonant migrate' and datname = current_database() and query like '%pg_cancel_backend%'`
    await expect.poll(async () => (await ask(end)).length, { timeout: 20_000, interval: 20 }).toBe(1)
    await broken
    expect(await ask(`select to_regclass('slow') as made, count(*)::int as rows from _prisma_migrations`)).toEqual([
      { made: null, rows: 1 },
    ])
    await migrate(workshop.db, log, { folder })
    expect(await ask(`select to_regclass('slow')::text as made`)).toEqual([{ made: 'slow' }])
  })
})
