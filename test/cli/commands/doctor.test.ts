import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeIdentifier } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REPAIR } from '../../../src/db/migrations/ledger.ts'
import type { Finding } from '../../../src/doctor/finding.ts'
import { freePorts } from '../../setup/http.ts'
import { createTestDatabase } from '../../setup/postgres/database.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  await service.close()
  await cleanUp()
})

/** Checks that need no schema. */
const OF_MACHINES = [
  ...['PostgreSQL', 'timeouts', 'notifications', 'indexes', 'vacuum', 'clock', 'PUBLIC_URL', 'storage', 'DATA_DIR'],
]

/** Tests run on a PostgreSQL that does not wait for its disk, which is an error: as one looks that does. */
const DURABLE = `
  create view public.pg_settings as select name, case name when 'fsync' then 'on' else setting end as setting, reset_val from pg_catalog.pg_settings`

async function diagnosed(): Promise<{ code: number; findings: Finding[] }> {
  const { code, stdout } = await runHere(['doctor', '--json'], env)
  return { code, findings: JSON.parse(stdout).findings }
}

const ledgerOf = async (name: string) =>
  (await service.runtime.db.pool.query('select from _prisma_migrations where migration_name = $1', [name])).rows

describe('sonant doctor', () => {
  test('examines what was just restored from a backup', async () => {
    const dataDir = await makeTempDir()
    const backup = join(await makeTempDir(), 'backup')
    await service.runtime.db.pool.query(`update installation set created_at = now() - interval '300 days'`)
    await sonantHere(env, 'backup', backup)
    const database = await createTestDatabase()
    const restored = { DATABASE_URL: database.url, DATA_DIR: dataDir }
    await sonantHere(restored, 'restore', backup)
    const { findings } = JSON.parse((await runHere(['doctor', '--json'], restored)).stdout) as { findings: Finding[] }
    expect(findings.filter(({ found }) => /could not be checked/.test(found))).toEqual([])
    // It has a backup: the one that it comes from.
    expect(findings.at(-1)).toMatchObject({
      check: 'backup',
      severity: 'ok',
      found: 'the last one was made 0 days ago',
    })
    await database.drop()
  })

  test('prints a line for each check with what there is and what to do, and exits with 1 on an error', async () => {
    const { code, stdout } = await runHere(['doctor'], env)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^RESULT +CHECK +FOUND$/m)
    expect(stdout).toMatch(/^error +PostgreSQL +fsync is off\. Set fsync = on\.$/m)
    expect(stdout).toMatch(/^ok +storage +.*artifacts takes, gives and deletes objects$/m)
  })

  test('exits with 0 where all is well, and with 2 on warnings alone', async () => {
    const { pool } = service.runtime.db
    const database = `database ${escapeIdentifier(new URL(env.DATABASE_URL!).pathname.slice(1))}`
    const examined = async (runIt: typeof run) => {
      const { code, stdout } = await runIt(['doctor', '--json'], env)
      const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
      return [code, ok, findings.filter(({ severity }) => severity !== 'ok').map((one) => [one.check, one.severity])]
    }
    await pool.query(DURABLE)
    await pool.query(`alter ${database} set search_path = public, pg_catalog`)
    try {
      expect(await examined(runHere)).toEqual([0, true, []])
      await pool.query(`alter ${database} set statement_timeout = '30s'`)
      // As a shell sees it.
      expect(await examined(run)).toEqual([2, false, [['timeouts', 'warning']]])
    } finally {
      await pool.query(`alter ${database} reset all`)
      await pool.query('drop view public.pg_settings')
    }
  })

  test('says that migrations are pending, applies none, and looks at what needs none of them', async () => {
    const { pool } = service.runtime.db
    const last = await pool.query(`delete from _prisma_migrations where migration_name =
      (select max(migration_name) from _prisma_migrations) returning *`)
    const { code, findings } = await diagnosed()
    expect([code, findings[0]]).toEqual([
      1,
      {
        check: 'migrations',
        severity: 'error',
        found: `1 pending, from ${last.rows[0].migration_name} on`,
        remedy: 'run npx sonant migrate, or start the service',
      },
    ])
    expect(findings.slice(1).map(({ check }) => check)).toEqual(OF_MACHINES)
    expect(await ledgerOf(last.rows[0].migration_name)).toEqual([])
    const columns = Object.keys(last.rows[0])
    const values = columns.map((_column, n) => `$${n + 1}`)
    await pool.query(`insert into _prisma_migrations (${columns}) values (${values})`, Object.values(last.rows[0]))
  })

  test('says why a migration failed, and what to do, which works', async () => {
    const { pool } = service.runtime.db
    const failed = '20261129000000_whole_schema'
    const logs = 'relation "a" already exists'
    await pool.query('create table kept as select * from _prisma_migrations')
    await pool.query(
      'update _prisma_migrations set finished_at = null, applied_steps_count = 0, logs = $2 where migration_name = $1',
      [failed, logs],
    )
    const { code, findings } = await diagnosed()
    expect([code, findings[0]]).toEqual([
      1,
      { check: 'migrations', severity: 'error', found: `${failed} failed half-way: ${logs}`, remedy: REPAIR },
    ])
    expect(findings.slice(1).map(({ check }) => check)).toEqual(OF_MACHINES)
    await pool.query('update _prisma_migrations set finished_at = now() where migration_name = $1', [failed])
    expect((await diagnosed()).findings.filter(({ check }) => check === 'migrations')).toEqual([])
    await pool.query('truncate _prisma_migrations; insert into _prisma_migrations select * from kept; drop table kept')
  })

  test.each([
    [
      'that it has applied',
      'now()',
      'warning',
      '1 of a newer version, from 2999_later on',
      'bring this program to that version',
    ],
    [
      'that failed',
      'null',
      'warning',
      '2999_later, of a newer version, failed half-way: no',
      `before that version starts again, ${REPAIR}`,
    ],
  ])(
    'names a migration of a newer version %s, and looks at everything else',
    async (_what, finished, severity, found, remedy) => {
      const { pool } = service.runtime.db
      await pool.query(
        `insert into _prisma_migrations (id, checksum, migration_name, logs, finished_at) values ('x', 'x', '2999_later', 'no', ${finished})`,
      )
      const run = await diagnosed()
      await pool.query(`delete from _prisma_migrations where id = 'x'`)
      expect(run.findings[0]).toEqual({ check: 'migrations', severity, found, remedy })
      const rest = run.findings.slice(1)
      expect(rest.map(({ check }) => check)).toEqual(
        expect.arrayContaining(['SECRET_KEY', 'engines', 'workers', 'records']),
      )
      expect(rest.filter(({ found: text }) => text.startsWith('could not be checked'))).toEqual([])
    },
  )

  test('says that there is no database, and makes none; nor does a backup', async () => {
    const dataDir = join(await makeTempDir(), 'data')
    const found = `There is no database in ${dataDir}: set DATABASE_URL, or DATA_DIR to the directory that the service uses`
    const doctor = await runHere(['doctor', '--json'], { DATA_DIR: dataDir })
    expect([doctor.code, JSON.parse(doctor.stdout).findings]).toEqual([
      1,
      [{ check: 'database', severity: 'error', found, remedy: 'until then nothing else can be checked' }],
    ])
    const backup = await runHere(['backup', join(dataDir, 'backup')], { DATA_DIR: dataDir })
    expect([backup.code, backup.stderr]).toEqual([1, `${found}.\n`])
    expect(existsSync(dataDir)).toBe(false)
  })

  test('finds what keeps the database of a directory from being used', async () => {
    const dataDir = await makeTempDir()
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
    const { code, stdout } = await runHere(['doctor', '--json'], { DATA_DIR: dataDir })
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        ok: false,
        findings: [
          { check: 'database', severity: 'error', found: expect.stringMatching(/belongs to PostgreSQL 17, and/) },
        ],
      },
    ])
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
