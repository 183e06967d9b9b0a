import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancellable } from '../../src/db/cancellable-client.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { openLog } from '../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/postgres/database.ts'

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

test('statements of a caller that has gone leave the pool, however many wait for it', async () => {
  let isOver = false
  const { pool } = cancellable(db, () => isOver)
  const waiting = Array.from({ length: 5_000 }, () => pool.query('select'))
  isOver = true
  const ended = await Promise.allSettled(waiting)
  expect(ended.filter(({ status }) => status === 'fulfilled')).toEqual([])
  expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})
