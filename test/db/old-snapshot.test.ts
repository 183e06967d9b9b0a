import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Servers } from '../../src/db/connections/servers.ts'
import { BACKUP, findOldSnapshot, Snapshot } from '../../src/db/snapshot.ts'
import { createTestDatabase, type TestDatabase } from '../setup/postgres/database.ts'

let database: TestDatabase
let watch: Client
beforeAll(async () => {
  database = await createTestDatabase()
  watch = new Client(database.url)
  await watch.connect()
})
afterAll(async () => {
  await watch.end()
  await database.drop()
})

test('a transaction with a snapshot is found by its age and named, until it ends', async () => {
  const client = new Client({ connectionString: database.url, application_name: 'report' })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read')
    expect(await findOldSnapshot(watch, 0)).toBeNull()
    const [own] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
    expect(await findOldSnapshot(watch, 0)).toMatchObject({ pid: own?.pid, application: 'report', minutes: 0 })
    expect(await findOldSnapshot(watch, 3600)).toBeNull()
    await client.query('commit')
    expect(await findOldSnapshot(watch, 0)).toBeNull()
  } finally {
    await client.end()
  }
})

test('a backup is found as such, and keeps no other transaction from being found', async () => {
  const backup = await Snapshot.open({ watched: new Servers([database.url]) }, BACKUP)
  const client = new Client({ connectionString: database.url, application_name: 'report' })
  await client.connect()
  try {
    await backup.query('select 1')
    expect(await findOldSnapshot(watch, 0)).toMatchObject({ application: 'sonant backup', isBackup: true })
    await client.query('begin isolation level repeatable read; select 1')
    expect(await findOldSnapshot(watch, 0)).toMatchObject({ application: 'report', isBackup: false })
  } finally {
    backup.close()
    await client.end()
  }
})
