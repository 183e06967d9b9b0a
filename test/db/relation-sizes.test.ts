import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseCondition } from '../../src/db/connections/database-state.ts'
import { type PostgresPair, startPostgresPair } from '../setup/servers/postgres-pair.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const WRITTEN_BYTES = 1_000_000

let pair: PostgresPair
let primary: Pool
let standby: Pool
beforeAll(async () => {
  pair = await startPostgresPair()
  primary = new Pool({ connectionString: pair.primaryUrl })
  standby = new Pool({ connectionString: pair.standbyUrl })
}, TIMEOUT_MS)
afterAll(async () => {
  await Promise.all([primary.end(), standby.end()])
  await pair.close()
})

test('a standby that replays nothing is behind by what was written meanwhile, and catches up', async () => {
  const lag = async () => {
    const { standbys } = await databaseCondition(primary, 'pgboss')
    expect(standbys).toHaveLength(1)
    return standbys[0]?.lagBytes ?? Number.NaN
  }
  await standby.query('select pg_wal_replay_pause()')
  await primary.query(`create table written as select repeat(md5(n::text), 30) from generate_series(1, $1 / 960) n`, [
    WRITTEN_BYTES,
  ])
  await until(async () => (await lag()) > WRITTEN_BYTES, TIMEOUT_MS, 'the standby to be behind')
  await standby.query('select pg_wal_replay_resume()')
  await until(async () => (await lag()) < WRITTEN_BYTES / 10, TIMEOUT_MS, 'the standby to catch up')
})

test('tables of the schema of the service have their names alone, those of the queue its schema as well', async () => {
  await primary.query('create schema app create table thing (n int)')
  await primary.query('create schema queue create table job (n int)')
  const url = new URL(pair.primaryUrl)
  url.searchParams.set('options', '-c search_path=app')
  const pool = new Pool({ connectionString: url.href })
  const { relations } = await databaseCondition(pool, 'queue').finally(() => pool.end())
  expect(relations.map(({ relation }) => relation)).toEqual(['queue.job', 'thing'])
})
