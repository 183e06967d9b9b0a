import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { deleteEndpoint } from '../../src/catalog/change-catalog.ts'
import { openWebhookVault } from '../../src/context/secret-key.ts'
import { diagnose } from '../../src/doctor/diagnose.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import type { ServiceContext } from '../../src/runtime/services.ts'
import { firstIdAt } from '../../src/values/id.ts'
import { setWebhookUrl } from '../../src/webhooks/webhook.ts'
import { complaintsOf } from '../setup/checks/complaints.ts'
import { freePorts } from '../setup/http.ts'
import { idAt, insertJob } from '../setup/jobs/jobs.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { canMount } from '../setup/processes/mounts.ts'
import { startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const DAY_MS = 86_400_000
const OLD_KEY = 'the key of before, of forty characters..'

let service: TestRuntime
let ctx: ServiceContext
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent', SECRET_KEY: OLD_KEY } })
  ctx = service.runtime.as({ kind: 'system' })
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => service.close())

const run = (sql: string, values: unknown[] = []) => ctx.db.pool.query(sql, values)
const complaints = (on: Partial<ServiceContext> = {}) => complaintsOf({ ...ctx, ...on })
/** Where PostgreSQL says so of a statement that contains a text. */
function answering(answers: Readonly<Record<string, object[]>>): Partial<ServiceContext> {
  const query = (text: unknown, ...rest: never[]) => {
    const [, rows] = Object.entries(answers).find(([part]) => JSON.stringify(text).includes(part)) ?? []
    return rows === undefined
      ? (ctx.db.pool.query as (...args: unknown[]) => unknown)(text, ...rest)
      : Promise.resolve({ rows })
  }
  return { db: { ...ctx.db, pool: Object.assign(Object.create(ctx.db.pool), { query }) } }
}

test.each([
  [30, 'warning'],
  [120, 'error'],
])('a clock that is %d s fast is a clock %s', async (seconds, severity) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
  expect((await complaints()).filter((line) => line.startsWith('clock'))).toEqual([
    expect.stringMatching(
      new RegExp(`^clock ${severity}: .* s from the database's\\. synchronise both machines by NTP$`),
    ),
  ])
})

test('an address that is not this machine alone needs a PUBLIC_URL', async () => {
  const found = (host: string, publicUrl: string | null) =>
    complaints({ settings: { ...ctx.settings, host, publicUrl }, publicUrl: 'http://192.0.2.7:4000' })
  expect(await found('192.0.2.7', null)).toEqual([
    'PUBLIC_URL error: not set, and HOST is 192.0.2.7: URLs of audio begin with http://192.0.2.7:4000, however clients reach it. set PUBLIC_URL to the address that clients use',
  ])
  expect(await found('192.0.2.7', 'https://voice.example.org')).toEqual([])
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) expect(await found(host, null)).toEqual([])
})

test('secrets that OLD_SECRET_KEY alone opens are an error, until they are encrypted again', async () => {
  const { account } = await service.createCaller()
  await setWebhookUrl(service.runtime.as({ kind: 'account', accountId: account, credits: 1n }), {
    url: 'https://example.com/hook',
  })
  const vault = openWebhookVault('the key from now on, of forty characters', OLD_KEY)
  expect(await complaints({ vault })).toEqual([
    'SECRET_KEY error: 1 secrets of webhooks and servers open by OLD_SECRET_KEY alone. run npx sonant secrets rekey',
  ])
  await run('delete from webhook_secret')
})

test('more than 70 % of the connections are a warning', async () => {
  const limits = { server: 100, role: 20, database: -1, processes: 1, workers: 0 }
  const settings = { ...ctx.settings, databasePoolSize: 11 }
  expect(await complaints({ ...answering({ rolconnlimit: [limits] }), settings })).toEqual([
    'connections warning: 1 processes, this one and 0 with a worker among them, may take 15 of 20 connections. lower DATABASE_POOL_SIZE, or raise max_connections and the limits of role and database',
  ])
})

test.each([
  ['synchronous_commit', 'off', 'synchronous_commit is off: a crash loses accepted jobs'],
  ['full_page_writes', 'off', 'full_page_writes is off'],
  ['server_encoding', 'LATIN1', 'server_encoding is LATIN1'],
  ['transaction_read_only', 'on', 'transaction_read_only is on'],
  ['server_version_num', '140012', 'version 14'],
])('PostgreSQL with %s %s is an error', async (name, setting, found) => {
  const sane = { fsync: 'on', full_page_writes: 'on', server_encoding: 'UTF8', transaction_read_only: 'off' }
  const all = {
    ...sane,
    server_version_num: '150000',
    server_version: '15.0',
    synchronous_commit: 'on',
    [name]: setting,
  }
  const rows = Object.entries(all).map(([one, value]) => ({ name: one, setting: value, reset_val: value }))
  // The limits of time are asked for in the same words.
  const findings = await diagnose({ ...ctx, ...answering({ pg_settings: rows }) })
  const wrong = findings.filter(({ check, severity }) => check === 'PostgreSQL' && severity === 'error')
  expect(wrong.map((finding) => finding.found)).toEqual([found])
})

test('an engine server that answers with an error, that is not there or that lacks a voice is an error of its endpoint', async () => {
  const servers = await Promise.all([startSpeechServer(), startSpeechServer(), startSpeechServer()])
  const [failing, speaking, voiceless] = servers
  const [port] = await freePorts(1)
  failing.answer(() => ({ status: 500, json: { error: { message: 'no model' } } }))
  voiceless.offer({ voices: ['somebody'] })
  try {
    await applyEndpoint(service.runtime, 'failing', { base_url: failing.url })
    await applyEndpoint(service.runtime, 'absent', { base_url: `http://127.0.0.1:${port}` })
    await applyEndpoint(service.runtime, 'speaking', { base_url: speaking.url })
    await applyEndpoint(service.runtime, 'voiceless', { base_url: voiceless.url })
    const remedy = 'start its server, or correct its endpoint file'
    expect(await complaints()).toEqual([
      `engines error: absent: PROVIDER_UNAVAILABLE: The server cannot be reached (ECONNREFUSED).. ${remedy}`,
      `engines error: failing: PROVIDER_UNAVAILABLE: The server answered 500: no model. ${remedy}`,
      'engines error: voiceless: the engine lacks en-us+f3. name voices that it has',
    ])
  } finally {
    for (const slug of ['failing', 'absent', 'speaking', 'voiceless']) await deleteEndpoint(ctx, { slug })
    await Promise.all(servers.map((server) => server.close()))
  }
})

test('dead rows, a slot that nothing reads and old transaction ids are warnings', async () => {
  const on = answering({
    n_dead_tup: [{ name: 'job', dead: 200_000 }],
    pg_replication_slots: [{ name: 'standby_1' }],
    datfrozenxid: [{ age: 1_200_000_000 }],
  })
  expect(await complaints(on)).toEqual([
    'vacuum warning: 200000 dead rows in job. VACUUM job',
    `vacuum warning: no standby reads the replication slot standby_1. bring it back, or pg_drop_replication_slot('standby_1')`,
    'vacuum warning: the oldest transaction id is 1200000000 old. VACUUM FREEZE',
  ])
})

test('jobs that retention should have deleted days ago are a warning', async () => {
  const { account } = await service.createCaller()
  const old = new Date(Date.now() - 403 * DAY_MS)
  const job = await insertJob(ctx.db, account, { id: idAt(old), completedAt: old })
  const settings = { ...ctx.settings, retention: { ...ctx.settings.retention, jobDays: 400 } }
  expect((await complaints({ settings })).filter((line) => line.startsWith('retention'))).toEqual([
    'retention warning: jobs are 3 days late for deletion. start a worker: it deletes them',
  ])
  await run('delete from job where id = $1', [job])
})

test.each([
  [0.5, /^partitions error: jobs from \S+ on will be refused: .* start a worker whose role owns the tables, and end/],
  [4, /^partitions warning: the partition of jobs from \S+ on is late\. start a worker/],
])('a partition that is to begin in %d days and was never added is named', async (days, line) => {
  const bound = firstIdAt('job', new Date(Date.now() + days * DAY_MS))
  await run(`alter table job_first add constraint partition_until check (id < '${bound}') not valid`)
  const found = await complaints()
  await run('alter table job_first drop constraint partition_until')
  expect(found).toEqual([expect.stringMatching(line)])
})

test('a newest partition of twice the jobs that it should have is a warning', async () => {
  await run(`update pg_class set reltuples = 12000000 where relname = 'job_first'`)
  const found = await complaints()
  await run(`update pg_class set reltuples = 0 where relname = 'job_first'`)
  expect(found).toEqual([
    'partitions warning: the newest partition has 12000000 jobs. start a worker whose role owns the tables, and end long transactions',
  ])
})

test('a place for exports that is not there is an error', async () => {
  const spill = join(service.dataDir, 'spill')
  await rename(spill, `${spill}.away`)
  const found = await complaints()
  await rename(`${spill}.away`, spill)
  expect(found).toEqual([`DATA_DIR error: ${spill} takes no files. make it writable: exports wait there`])
})

test.skipIf(!canMount()).each([
  [88, 'warning'],
  [97, 'error'],
])('a disk that is full to %d per cent is a DATA_DIR %s', async (percent, severity) => {
  const place = await mkdtemp(join(tmpdir(), 'sonant-full-'))
  await mkdir(join(place, 'data'))
  const script = `mount -t tmpfs -o size=40M,mode=700 none "$1/data" && head -c ${Math.round(percent * 0.4 * 1024)}K /dev/zero > "$1/data/filler" &&
    DATA_DIR="$1/data" exec "$2" bin/sonant.js doctor --json`
  const env = { ...process.env, DATABASE_URL: service.runtime.settings.databaseUrl ?? '', SECRET_KEY: OLD_KEY }
  const { stdout } = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', place, process.execPath], { env })
  await rm(place, { recursive: true })
  const { findings } = JSON.parse(String(stdout)) as { findings: Finding[] }
  expect(findings.filter(({ check, severity }) => check === 'DATA_DIR' && severity !== 'ok')).toEqual([
    {
      check: 'DATA_DIR',
      severity,
      found: expect.stringMatching(/^\d+ % free \(0\.0 GiB\)$/),
      remedy: 'free space, or set ARTIFACT_RETENTION_DAYS',
    },
  ])
})
