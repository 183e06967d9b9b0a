import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkOut } from '../../src/db/cancellable-client.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { openLog } from '../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { until } from '../setup/wait.ts'

let home: TestDatabase
let db: Database
beforeAll(async () => {
  home = await createTestDatabase()
  db = openDatabase(home.url, openLog('silent'))
})
afterAll(async () => {
  await db.close()
  await home.drop()
})

test('PostgreSQL ends a transaction that its process has forgotten, on every connection of the pool', async () => {
  const clients = await Promise.all([db.pool.connect(), db.pool.connect()])
  const shown = await Promise.all(clients.map((client) => client.query('show idle_in_transaction_session_timeout')))
  for (const client of clients) client.release()
  const settings = shown.map(({ rows }) => rows[0])
  const [viaPrisma] = await db.prisma.$queryRaw<object[]>`show idle_in_transaction_session_timeout`
  expect([...settings, viaPrisma]).toEqual(Array(3).fill({ idle_in_transaction_session_timeout: '15s' }))
})

test('a connection that is terminated ends in PostgreSQL, with a statement that comes after its cancellation', async () => {
  const [locker, checkedOut] = [await db.pool.connect(), await checkOut(db, () => false)]
  await locker.query('select pg_advisory_lock(1)')
  const { client } = checkedOut
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const release = client.release
  client.release = (error) => {
    client.query('select pg_advisory_lock(1)').catch(() => undefined)
    release.call(client, error)
  }
  try {
    await checkedOut.terminate(new Error('the caller has disconnected'))
    const left = async () =>
      (await db.pool.query('select from pg_stat_activity where pid = $1', [rows[0]!.pid])).rowCount
    await until(async () => (await left()) === 0, 5_000, 'the connection to end')
  } finally {
    locker.release(new Error('its lock is left'))
  }
})
