import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { allFinished, submitText } from '../../setup/jobs/voice-jobs.ts'
import { run } from '../../setup/processes/process.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { startTestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const JOBS = 60
const FEW_JOBS = 20
const TIMEOUT_MS = 60_000
/** Sessions of the role that wait for a lock for longer than its statements may take. */
const BEYOND = `select from pg_stat_activity where usename = $1 and wait_event = 'advisory' and now() - query_start > '1.2 s'`
const TAKEN = `select count(*)::int as taken from pg_stat_activity where usename = $1`
const LIMIT = 20
/** A process has 20 connections; the others are for long reads. */
const WORK_POOL = 15
const name = `narrow_${randomBytes(4).toString('hex')}`
const url = Object.assign(new URL(inject('databaseUrl')), { pathname: `/${name}`, username: name })
let admin: Client
beforeAll(async () => {
  admin = new Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  await admin.query(`create role ${name} login connection limit ${LIMIT}`)
  await admin.query(`alter role ${name} set statement_timeout = '1s'`)
  await admin.query(`create database ${name} owner ${name}`)
})
afterAll(async () => {
  await endProcesses()
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.query(`drop role if exists ${name}`)
  await admin.end()
})

test('two processes with the least pool share a role of 20 connections and a second for each statement', async () => {
  const env = { DATABASE_URL: url.href, DATABASE_POOL_SIZE: '4' }
  // Both at once, on an empty database: one installs, the other waits for it, and both for a third one that takes longer than a statement may.
  const other = new Client({
    connectionString: Object.assign(new URL(inject('databaseUrl')), { pathname: `/${name}` }).href,
  })
  await other.connect()
  await other.query(`select pg_advisory_lock(hashtextextended('sonant install', 0))`)
  const starting = Promise.all([startTestRuntime({ env }), startTestRuntime({ env, worker: true })])
  const isBeyond = async () => (await admin.query(BEYOND, [name])).rowCount === 2
  try {
    await Promise.race([starting, until(isBeyond, TIMEOUT_MS, 'both to wait')])
  } finally {
    await other.end()
  }
  const [api, worker] = await starting
  try {
    const { key } = await api.createCaller()
    const texts = Array.from({ length: JOBS }, (_none, n) => `Number ${n}.`)
    const ids = await Promise.all(texts.map((text) => submitText(api.url, key, 'tts', text, 'aria')))
    await allFinished(api.runtime, ids)
    const { rows } = await api.runtime.db.pool.query('select status, count(*)::int as jobs from job group by status')
    expect(rows).toEqual([{ status: 'completed', jobs: JOBS }])
  } finally {
    await Promise.all([api.close(), worker.close()])
  }
})

test('of two processes with the default pool over such a role the second one says why it cannot start, or makes do with what is left', async () => {
  await admin.query(`alter role ${name} reset statement_timeout`)
  const service = await startTestRuntime({ env: { DATABASE_URL: url.href } })
  const { pool, readPool } = service.runtime.db
  const env = { DATABASE_URL: url.href, DATA_DIR: service.dataDir, LOG_LEVEL: 'warn' }
  const taken = async () => (await admin.query<{ taken: number }>(TAKEN, [name])).rows[0]!.taken
  try {
    const { key } = await service.createCaller()
    const work = await Promise.all(Array.from({ length: WORK_POOL }, () => pool.connect()))
    const reads = await Promise.all(Array.from({ length: LIMIT - (await taken()) }, () => readPool.connect()))
    const refused = await run(['work'], env)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `Sonant cannot start: Check DATABASE_URL: the database ${url.host}/${name} cannot be used (too many connections for role "${name}").\n`,
    ])
    for (const client of reads) client.release(true)
    await until(async () => (await taken()) < LIMIT, TIMEOUT_MS, 'connections to be free')
    const worker = await startRole(['work'], env)
    for (const client of work) client.release()
    const texts = Array.from({ length: FEW_JOBS }, (_none, n) => `Number ${n}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, key, 'tts', text, 'aria')))
    await allFinished(service.runtime, ids)
    const { rows } = await pool.query('select status, count(*)::int as jobs from job where id = any($1) group by 1', [
      ids,
    ])
    expect([rows, worker.runs()]).toEqual([[{ status: 'completed', jobs: FEW_JOBS }], true])
  } finally {
    await service.close()
  }
})
