import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isHeldUp } from '../../../src/db/connections/lock-wait.ts'
import { briefly, lockTogether } from '../../../src/jobs/partitions/partitions.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'

const TABLES = Array.from({ length: 10 }, (_, n) => `thing_${n}`)
/** Less than one lock is waited for, after the table before. */
const EACH_MS = 60
/** A lock is waited for 100 ms. */
const LONGEST_MS = 250
const WAITED =
  'insert into waited select extract(epoch from clock_timestamp() - transaction_timestamp())::float8 * 1000'

let database: TestDatabase
let clients: Client[]
beforeEach(async () => {
  database = await createTestDatabase()
  clients = []
  for (const _ of [...TABLES, 'locker']) {
    clients.push(new Client({ connectionString: database.url }))
    await clients.at(-1)!.connect()
  }
  const [client] = clients as [Client]
  for (const table of TABLES) await client.query(`create table ${table} ()`)
  await client.query('create table waited (ms float8)')
})
afterEach(async () => {
  for (const client of clients) await client.end()
  await database.drop()
})

test('tables that are locked together are waited for as long as one of them, and what holds one is known', async () => {
  const [locker, ...others] = clients as [Client, ...Client[]]
  for (const [n, table] of TABLES.entries()) await others[n]!.query(`begin; lock table ${table} in share mode`)
  await expect(briefly(locker, lockTogether(TABLES))).rejects.toSatisfy(isHeldUp)
  const held = others.map((other, n) => other.query(`select pg_sleep(${((n + 1) * EACH_MS) / 1_000}); commit`))
  await briefly(locker, [...lockTogether(TABLES), WAITED])
  await Promise.all(held)
  const { rows } = await locker.query<{ ms: number }>('select ms from waited')
  expect(rows).toHaveLength(1)
  expect(rows[0]!.ms).toBeLessThan(LONGEST_MS)
  // The limit is that of the lock alone.
  await briefly(locker, [...lockTogether(TABLES), 'select pg_sleep(0.2)'])
})
