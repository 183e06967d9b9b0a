import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFinish, recordStart } from '../../../src/db/migrations/ledger.ts'
import { stepsOf } from '../../../src/db/migrations/migration-files.ts'
import { openDatabaseReadings } from '../../../src/server/metrics/database-readings.ts'
import type { GaugeName } from '../../../src/telemetry/metrics.ts'
import { NO_TELEMETRY, type Reading, type Telemetry } from '../../../src/telemetry/telemetry.ts'
import { createUser } from '../../../src/users/create-user.ts'
import { maintain } from '../../../src/worker/maintenance.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const DAY_MS = 86_400_000
const KEPT_DAYS = 400
const BEYOND_DAYS = 40
/** By what the age of a row counts, and for how many days it is kept then. */
const TIDIED: readonly (readonly [what: string, keptDays: number])[] = [
  ['webhook_delivery', 30],
  ['webhook_body', 900 / 86_400],
  ['webhook_secret', 0],
  ['idempotency_record', 1],
  ['session', 1],
  ['sign_in_link', 0],
  ['abandoned_attempt', 600 / 86_400],
  ['heard_attempt', 600 / 86_400],
]
const AGO = `now() - interval '${BEYOND_DAYS} days'`
/** One of each, of an account with one user. */
const BEYOND = [
  `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, created_at, next_attempt_at, finished_at)
   values ('msg_old', $1, 'job', 'job_old', 'https://a.example', 0, '', 'x', 'succeeded', ${AGO}, ${AGO}, ${AGO})`,
  `insert into webhook_secret (account_id, sealed, expires_at) values ($1, 'x', ${AGO})`,
  `insert into idempotency_record (account_id, key, request_hash, job_id, created_at) values ($1, 'k', 'x', 'job_old', ${AGO})`,
  `insert into session (id, user_id, hash, seen_at, expires_at) select 'ses_old', id, 'x', ${AGO}, ${AGO} from "user" where account_id = $1`,
  `insert into sign_in_link (hash, user_id, expires_at) select 'x', id, ${AGO} from "user" where account_id = $1`,
  `insert into abandoned_attempt (job_id, attempt, abandoned_at) values ('job_old', 1, ${AGO})`,
  `insert into heard_attempt (job_id, attempt, completed_at) values ('job_old', 1, ${AGO})`,
]
const PAGED = '29990101000000_paged'

let service: TestRuntime
let account: string
beforeAll(async () => {
  const kept = { JOB_RETENTION_DAYS: String(KEPT_DAYS), ARTIFACT_RETENTION_DAYS: '1', CHAT_RETENTION_DAYS: '1' }
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent', ...kept } })
  account = await service.createAccount()
})
afterAll(() => service.close())

const query = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)

/** The readings of a first scrape, without cached ones. */
async function readings(change: object = {}) {
  const gauges = new Map<GaugeName, () => Iterable<Reading<GaugeName>>>()
  const gauge: Telemetry['gauge'] = (name, read) => {
    gauges.set(name, read as () => Iterable<Reading<GaugeName>>)
    return () => undefined
  }
  await openDatabaseReadings({ ...service.runtime, ...change, telemetry: { ...NO_TELEMETRY, gauge } })()
  return (name: GaugeName, ...labels: string[]): number | undefined =>
    [...(gauges.get(name)?.() ?? [])].find((one) => labels.every((label) => Object.values(one.labels).includes(label)))
      ?.value
}

test('an open transaction is as old as it is, and none is left once it has ended', async () => {
  const holder = await service.runtime.db.pool.connect()
  await holder.query(BEGIN_HELD)
  const age = async () => (await readings())('oldest_transaction_age_seconds') ?? 0
  await until(async () => (await age()) > 1, TIMEOUT_MS, 'a second to go by')
  await holder.query('rollback')
  holder.release()
  // Another one may be under way for a moment.
  await until(async () => (await age()) < 1, TIMEOUT_MS, 'it to be gone')
})

test('rows that were changed are dead, and a table has the size of its rows', async () => {
  await query('create table measured (text text) with (autovacuum_enabled = false)')
  const empty = (await readings())('relation_bytes', 'measured') ?? 0
  await query(`insert into measured select repeat(md5(n::text), 10) from generate_series(1, 100) n`)
  await query('update measured set text = md5(text)')
  const read = await until(
    async () => {
      const now = await readings()
      return now('dead_tuples', 'measured') ? now : undefined
    },
    TIMEOUT_MS,
    'the statistics to be written',
  )
  expect(read?.('dead_tuples', 'measured')).toBe(100)
  expect((read?.('relation_bytes', 'measured') ?? 0) - empty).toBeGreaterThan(100 * 320)
  await query('drop table measured')
})

test('what is kept beyond its time is behind by that time', async () => {
  expect((await readings())('retention_backlog_seconds', 'job')).toBe(0)
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
  await insertJob(service.runtime.db, account, {
    id: idAt(daysAgo(KEPT_DAYS + 2)),
    completedAt: daysAgo(KEPT_DAYS + 2),
  })
  const behind = (await readings())('retention_backlog_seconds', 'job') ?? 0
  expect(behind / 86_400).toBeCloseTo(2, 1)
})

test('whatever maintenance deletes by its age is behind by so much, and no more once it has run', async () => {
  await createUser(service.runtime.as({ kind: 'system' }), { account, email: 'gone@example.com', role: 'owner' })
  for (const statement of BEYOND) await query(statement, statement.includes('$1') ? [account] : [])
  const before = await readings()
  expect(
    TIDIED.map(([what, kept]) => [what, (before('retention_backlog_seconds', what) ?? 0) / 86_400 + kept]),
  ).toEqual(TIDIED.map(([what]) => [what, expect.closeTo(BEYOND_DAYS, 1)]))
  const end = maintain(service.runtime)
  const behind = async () => {
    const after = await readings()
    return TIDIED.filter(([what]) => after('retention_backlog_seconds', what) !== 0)
  }
  await expect.poll(behind, { timeout: TIMEOUT_MS }).toEqual([])
  await end()
})

test('a clock that is fast or slow is so many seconds ahead or behind', async () => {
  const real = Date.now
  for (const seconds of [120, -120]) {
    Date.now = () => real() + seconds * 1000
    const shown = await readings().finally(() => {
      Date.now = real
    })
    expect(shown('clock_offset_seconds')).toBeCloseTo(seconds, -1)
  }
})

test('deliveries that wait for another attempt are pending, and the oldest that is due is as old as it is late', async () => {
  expect([(await readings())('webhook_pending'), (await readings())('webhook_oldest_pending_age_seconds')]).toEqual([
    0, 0,
  ])
  const jobs = [await insertJob(service.runtime.db, account), await insertJob(service.runtime.db, account)]
  await query(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, created_at, next_attempt_at)
     select 'msg_' || n, $1, 'job', ($2::text[])[n], 'https://a.example', 0, '', now(), now() + (2 * n - 3) * interval '90 seconds'
     from generate_series(1, 2) n`,
    [account, jobs],
  )
  const read = await readings()
  expect(read('webhook_pending')).toBe(2)
  expect(read('webhook_oldest_pending_age_seconds')).toBeCloseTo(90, -2)
})

test('monthly limits of accounts and keys that can be used are near from 80 % on, and used up at 100 %', async () => {
  const limited = async (used: number, kind: 'account' | 'key') => {
    const owner = await service.createAccount()
    const { apiKeyId } = await service.createKey(owner)
    await query(`update ${kind === 'key' ? 'api_key' : 'account'} set monthly_limit = 100 where id = $1`, [
      kind === 'key' ? apiKeyId : owner,
    ])
    await insertJob(service.runtime.db, owner, { cost: String(used), apiKeyId })
    return owner
  }
  for (const used of [79, 80, 99, 100]) await limited(used, 'account')
  await limited(85, 'key')
  const disabled = await limited(100, 'account')
  await query('update account set disabled_at = now() where id = $1', [disabled])
  const read = await readings()
  expect(['account', 'key'].map((of) => ['near', 'used_up'].map((state) => read('monthly_limits', of, state)))).toEqual(
    [
      [2, 1],
      [1, 0],
    ],
  )
})

test('workers are alive by their heartbeat', async () => {
  await query(
    `insert into worker (id, host, version, slots, in_flight, gpus, heartbeat_at)
     select 'wrk_' || n, 'here', '1', 1, 0, '[]', now() + interval '10 minutes' - (n / 3) * interval '1 hour' from generate_series(1, 3) n`,
  )
  const read = await readings()
  expect([read('workers', 'alive'), read('workers', 'dead')]).toEqual([2, 1])
})

test('jobs that are for later are delayed, and no older for it', async () => {
  const { key } = await service.createCaller()
  await applyEndpoint(service.runtime, 'later', { pool: 'later' })
  const id = await submitText(service.url, key, 'later', 'Not now.')
  await query(`update pgboss.job set start_after = now() + interval '1 hour' where data->>'jobId' = $1`, [id])
  await submitText(service.url, key, 'later', 'Now.')
  const read = await readings()
  const depth = ['waiting', 'delayed', 'running'].map((state) => read('queue_jobs', 'later', state))
  expect(depth).toEqual([1, 1, 0])
  expect(read('queue_oldest_age_seconds', 'later')).toBeLessThan(60)
})

test('the free space of the volume is less than its size', async () => {
  const read = await readings()
  expect(read('data_size_bytes')).toBeGreaterThan(read('data_free_bytes') ?? Number.POSITIVE_INFINITY)
})

test('a migration under way has been through so many rows, and one that has ended is not shown', async () => {
  expect((await readings())('migration_rows')).toBeUndefined()
  const migration = { name: PAGED, checksum: '', sql: '', steps: stepsOf('-- in pages\nselect null as cursor') }
  const { pool } = service.runtime.db
  const row = await recordStart(pool, migration, { steps: 0, cursor: 'acc_1', rows: 3_000 })
  expect((await readings())('migration_rows', PAGED)).toBe(3_000)
  await recordFinish(pool, row)
  expect((await readings())('migration_rows')).toBeUndefined()
})
