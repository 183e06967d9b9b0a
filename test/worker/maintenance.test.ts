import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { openLog } from '../../src/values/log.ts'
import { maintain } from '../../src/worker/maintenance.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import { startTestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const SOON_MS = 60_000
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%idempotency_record%'`

test('maintenance that a stopping worker breaks off is no failure, and ends with its last statement', async () => {
  const service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const { runtime } = service
  const warnings: unknown[] = []
  const log = Object.assign(Object.create(runtime.log), { warn: (fields: object) => warnings.push(fields) })
  // Its late work finds the pool closed, as after a worker's own end.
  const failing = openDatabase(runtime.settings.databaseUrl ?? '', openLog('silent'))
  await failing.close()
  await maintain({ ...runtime, db: failing, log })()
  expect(warnings).toEqual([])
  await service.close()
})

test('a duty that waits for a lock holds no later one back', async () => {
  const service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const { runtime } = service
  const { pool } = runtime.db
  const account = await service.createAccount()
  const expired = `insert into webhook_secret (account_id, sealed, expires_at) values ($1, '\\x00', now() - interval '1 hour')`
  await pool.query(expired, [account])
  const lock = await pool.connect()
  await lock.query(BEGIN_HELD)
  await lock.query('lock table idempotency_record in access exclusive mode')
  const end = maintain(runtime)
  const isTidied = async () => (await pool.query('select from webhook_secret where expires_at < now()')).rowCount === 0
  await until(isTidied, SOON_MS, 'the duty after that')
  expect((await pool.query(WAITING)).rowCount).toBe(1)
  await lock.query('rollback')
  lock.release()
  await end()
  await service.close()
})

test.each([
  [true, 'a backup has been running for long and keeps dead rows until it ends'],
  [false, 'a transaction is open for long and keeps dead rows: end it'],
])('a long transaction is named, and is to be ended unless it is a backup (%s)', async (isBackup, message) => {
  const service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const { runtime } = service
  const found = { pid: 7, application: 'named', user: 'sonant', minutes: 20 }
  const lines: unknown[][] = []
  const log = Object.assign(Object.create(runtime.log), { warn: (...line: unknown[]) => lines.push(line) })
  const { pool } = runtime.db
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown
  pool.query = ((text: unknown, ...rest: unknown[]) =>
    String(text).includes('backend_xmin')
      ? Promise.resolve({ rows: [{ ...found, isBackup }] })
      : query(text, ...rest)) as typeof pool.query
  const end = maintain({ ...runtime, log })
  await until(() => lines.length > 0, SOON_MS, 'the warning')
  await end()
  await service.close()
  expect(lines).toEqual([[found, message]])
})
