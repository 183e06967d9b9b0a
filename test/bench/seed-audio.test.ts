import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { seedJobs } from '../../bench/seed.ts'
import { filesIn, keptBy, seedAudio, seedLedger } from '../../bench/seed-audio.ts'
import { startTestRuntime } from '../setup/service/runtime.ts'

const JOBS = 180
/** Every fiftieth. */
const FAILED = 3
/** All but the last twenty. */
const TAKEN = JOBS - 20
const COST = 50
const FILES = 7
const BYTES = Buffer.from('a sound')

test('seeded jobs have a ledger that adds up, artifacts, and the files of the newest ones', async () => {
  const service = await startTestRuntime()
  onTestFinished(() => service.close())
  const account = await service.createAccount()
  const client = new Client({ connectionString: service.runtime.db.url })
  await client.connect()
  const dataDir = await mkdtemp(join(tmpdir(), 'sonant-seed-'))
  onTestFinished(async () => {
    await client.end()
    await rm(dataDir, { recursive: true })
  })
  await seedJobs(client, account, JOBS)
  await seedLedger(client, account)
  const ask = async (sql: string) => (await client.query(sql, [account])).rows
  const voices = await ask(
    `select id from job where account_id = $1 and type = 'voice' and status = 'completed' order by id desc`,
  )
  expect(await seedAudio(client, account, { dataDir, bytes: BYTES, files: FILES })).toBe(FILES)
  expect(await keptBy(client, account)).toEqual({
    jobs: JOBS,
    artifacts: voices.length,
    entries: TAKEN + FAILED,
  })
  expect(
    await ask(
      `select credits = (select sum(amount) from credit_entry where account_id = $1) as "addsUp",
         credits - (select sum(amount) from credit_entry where account_id = $1 and job_id is null) = -${COST * (TAKEN - FAILED)} as "isCharged"
       from account where id = $1`,
    ),
  ).toEqual([{ addsUp: true, isCharged: true }])
  const stored = await ask(
    `select storage_key, encode(sha256, 'hex') as sha256 from artifact where deleted_at is null and job_id in (
       select id from job where account_id = $1) order by job_id desc`,
  )
  expect(stored.map(({ storage_key }) => storage_key)).toEqual(
    voices.slice(0, FILES).map(({ id }) => `${id}/1/audio.wav`),
  )
  for (const { storage_key, sha256 } of stored) {
    const bytes = await readFile(join(dataDir, 'artifacts', storage_key))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  }
  expect(await filesIn(dataDir)).toBe(FILES)
  expect(await filesIn(dataDir, voices[1]!.id)).toBe(FILES - 2)
})

test('a role that may not seed many jobs is refused, and the indexes stay', async () => {
  const service = await startTestRuntime()
  onTestFinished(() => service.close())
  const account = await service.createAccount()
  const client = new Client({ connectionString: service.runtime.db.url })
  await client.connect()
  onTestFinished(() => client.end())
  const role = `seeder_${process.pid}`
  await client.query(`create role ${role}; alter table job owner to ${role}; set role ${role}`)
  const indexes = async () =>
    (await client.query(`select count(*) from pg_index where indrelid = 'job'::regclass`)).rows
  const before = await indexes()
  await expect(seedJobs(client, account, 1_000_000)).rejects.toThrow('session_replication_role')
  expect(await indexes()).toEqual(before)
  await client.query(`reset role; reassign owned by ${role} to current_user; drop role ${role}`)
})
