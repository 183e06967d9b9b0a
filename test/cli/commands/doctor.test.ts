import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHere } from '../../setup/command-here.ts'
import { freePorts } from '../../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(() => service.close())

describe('sonant doctor', { timeout: 60_000 }, () => {
  test('prints a line for each check with what there is and what to do, and exits with 1 on an error', async () => {
    const { code, stdout } = await runHere(['doctor'], env)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^RESULT +CHECK +FOUND$/m)
    expect(stdout).toMatch(/^error +PostgreSQL +fsync is off\. Set fsync = on\.$/m)
    expect(stdout).toMatch(/^ok +storage +.*artifacts takes, gives and deletes objects$/m)
  })

  test('says that migrations are pending, and applies none', async () => {
    const { pool } = service.runtime.db
    const last = await pool.query(`delete from _prisma_migrations where migration_name =
      (select max(migration_name) from _prisma_migrations) returning *`)
    const { code, stdout } = await runHere(['doctor', '--json'], env)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      findings: [
        {
          check: 'migrations',
          severity: 'error',
          found: `1 pending, from ${last.rows[0].migration_name} on`,
          remedy: 'run sonant migrate, or start the service',
        },
      ],
    })
    const columns = Object.keys(last.rows[0])
    const values = columns.map((_column, n) => `$${n + 1}`)
    await pool.query(`insert into _prisma_migrations (${columns}) values (${values})`, Object.values(last.rows[0]))
  })

  test('says which database it cannot reach', async () => {
    const [port] = await freePorts(1)
    const { code, stdout } = await runHere(['doctor', '--json'], {
      ...env,
      DATABASE_URL: `postgres://a@127.0.0.1:${port}/b`,
    })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, findings: [{ check: 'database', severity: 'error' }] })
  })
})
