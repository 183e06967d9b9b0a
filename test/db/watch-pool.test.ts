import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { watchPool } from '../../src/db/watch-pool.ts'
import { NO_TELEMETRY } from '../../src/telemetry/telemetry.ts'
import { openLog } from '../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/postgres/database.ts'
import { until } from '../setup/wait.ts'

let home: TestDatabase
let db: Database
const lines: unknown[][] = []
beforeAll(async () => {
  home = await createTestDatabase()
  db = openDatabase(home.url, Object.assign(openLog('silent'), { warn: (...line: unknown[]) => lines.push(line) }))
})
afterAll(() => home.drop())

test('a connection that is lost is counted once, in use or idle, and those of a burst are one line of the log', async () => {
  const counted: unknown[] = []
  const count = (...fact: unknown[]) => counted.push(fact)
  watchPool(db.pool, 'work', { ...NO_TELEMETRY, measures: true, count })
  const [used, idle, killer] = await Promise.all([db.pool.connect(), db.pool.connect(), db.pool.connect()])
  const pids = await Promise.all(
    [used, idle].map(async (client) => (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number),
  )
  idle.release()
  const broken = expect(used.query('select pg_sleep(60)')).rejects.toThrow()
  await killer.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids])
  await broken
  used.release(true)
  killer.release()
  await until(async () => counted.length >= 2, 60_000, 'both losses')
  await db.close()
  expect(counted).toEqual(Array(2).fill(['db_connection_losses_total', { connection: 'work' }]))
  expect(lines).toEqual([[{ count: 2, err: expect.any(String) }, 'database connections were lost']])
})
