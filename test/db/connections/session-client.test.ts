import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createApiKey } from '../../../src/api-keys/change-api-key.ts'
import { Servers } from '../../../src/db/connections/servers.ts'
import { inTransaction } from '../../../src/db/database.ts'
import { readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { cleanUp, makeTempDir, run } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

// Defaults of a server, a role or a database: PostgreSQL's own installation takes the zone of its machine.

const DEFAULTS = {
  timezone: 'Asia/Kathmandu',
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  array_nulls: 'off',
}
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

let admin: Client
let service: TestRuntime
const names = ['first', 'second'].map((name) => `session_${name}_${randomBytes(4).toString('hex')}`)
const urlOf = (name: string | undefined): string =>
  Object.assign(new URL(inject('databaseUrl')), { pathname: name }).href
const [first, second] = names.map(urlOf) as [string, string]
beforeAll(async () => {
  admin = new Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  for (const name of names) {
    await admin.query(`create database ${name}`)
    for (const [setting, value] of Object.entries(DEFAULTS)) {
      await admin.query(`alter database ${name} set ${setting} = '${value}'`)
    }
  }
  service = await startTestRuntime({ env: { DATABASE_URL: first } })
})
afterAll(async () => {
  await service?.close()
  for (const name of names) await admin.query(`drop database if exists ${name} with (force)`)
  await admin.end()
  await cleanUp()
})

/** How far each time that a row holds, as PostgreSQL itself sees it, is from the present. */
const offMs = async (table: string, ofId: string): Promise<number> => {
  const text = `select abs(extract(epoch from clock_timestamp() - created_at)) * 1000 as off from ${table} where id = '${ofId}'`
  return Number((await service.runtime.db.pool.query<{ off: string }>(text)).rows[0]?.off)
}

test('defaults of the database move no time, whichever session writes and reads it', async () => {
  const { runtime, url } = service
  const account = await service.createAccount()
  const input = { account, name: 'for an hour', expiresAt: new Date(Date.now() + HOUR_MS) }
  const { apiKey, apiKeyId } = await createApiKey(runtime.as({ kind: 'system' }), input)
  const id = await submitText(url, apiKey, 'tts', 'A sentence.', 'aria')
  const { created_at: createdAt } = await readJob(url, apiKey, id)
  expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(MINUTE_MS)
  const times = await runtime.db.prisma.apiKey.findUniqueOrThrow({ where: { id: apiKeyId } })
  expect(times.expiresAt).toEqual(input.expiresAt)
  expect(Math.abs(Date.now() - times.createdAt.getTime())).toBeLessThan(MINUTE_MS)
  for (const [table, row] of Object.entries({ job: id, api_key: apiKeyId, account })) {
    expect(await offMs(table, row), table).toBeLessThan(MINUTE_MS)
  }
})

test('every session has the same isolation and reads numbers and lists alike, whatever the URL asks for', async () => {
  const { db } = service.runtime
  const asked = `select current_setting('transaction_isolation') as isolation, 0.1::float8 + 0.2::float8 as number, '{NULL}'::text[] as list`
  const expected = { isolation: 'read committed', number: 0.1 + 0.2, list: [null] }
  const direct = await db.direct.connect({})
  const url = new URL(first)
  const options = url.searchParams.get('options') ?? ''
  url.searchParams.set('options', `${options} -c default_transaction_isolation=serializable`)
  const other = await new Servers([url.href.replaceAll('+', '%20')]).connect({})
  try {
    for (const session of [db.pool, db.readPool, direct, other])
      expect((await session.query(asked)).rows).toEqual([expected])
    await inTransaction(db, async (tx) => expect((await tx.query(asked)).rows).toEqual([expected]))
    const inPrisma = await db.prisma.$transaction((tx) => tx.$queryRawUnsafe<{ isolation: string }[]>(asked))
    expect(inPrisma[0]?.isolation).toBe('read committed')
  } finally {
    await direct.end()
    await other.end()
  }
})

test('submissions at the same time are all taken', async () => {
  const { key } = await service.createCaller()
  const ids = Array.from({ length: 100 }, (_, n) => submitText(service.url, key, 'tts', `Number ${n}.`, 'aria'))
  expect(new Set(await Promise.all(ids)).size).toBe(100)
})

test('a database with such defaults is backed up, and restored into another one', async () => {
  const directory = join(await makeTempDir(), 'backup')
  const backup = await run(['backup', directory, '--json'], { DATABASE_URL: first, DATA_DIR: service.dataDir })
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  const restored = await run(['restore', directory, '--json'], { DATABASE_URL: second, DATA_DIR: await makeTempDir() })
  expect([restored.code, restored.stderr]).toEqual([0, expect.not.stringContaining('"level":50')])
  const client = new Client({ connectionString: second })
  await client.connect()
  const { rows } = await client.query('select id from job').finally(() => client.end())
  expect(rows).toHaveLength(101)
})
