import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Finding } from '../../../src/doctor/finding.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { type Pgbouncer, pgbouncerProgram, startPgbouncer } from '../../setup/servers/pgbouncer.ts'

describe.skipIf(pgbouncerProgram === undefined)('sonant doctor behind PgBouncer in transaction mode', () => {
  let database: TestDatabase
  let bouncer: Pgbouncer
  let env: Record<string, string>
  beforeAll(async () => {
    const url = inject('databaseUrl')
    ;[database, bouncer] = await Promise.all([createTestDatabase('opened'), startPgbouncer(url, 'transaction')])
    env = { DATABASE_URL: bouncer.through(database.url), DATA_DIR: await makeTempDir() }
  })
  afterAll(async () => {
    await bouncer?.close()
    await database?.drop()
    await cleanUp()
  })

  async function diagnosed(more: Record<string, string>) {
    const { code, stdout } = await runHere(['doctor', '--json'], { ...env, ...more })
    return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings }
  }

  test('names the pooler and DIRECT_DATABASE_URL, and that nothing else can be checked, where that is not set', async () => {
    const { code, findings } = await diagnosed({})
    const { host } = new URL(env.DATABASE_URL!)
    expect(code).toBe(1)
    expect(findings).toEqual([
      {
        check: 'database',
        severity: 'error',
        found: expect.stringMatching(
          new RegExp(`^Check DATABASE_URL: the database ${host}/.* transaction mode.*: set DIRECT_DATABASE_URL `),
        ),
        remedy: 'until then nothing else can be checked',
      },
    ])
  })

  test('finds all in order with DIRECT_DATABASE_URL: the bus, the timeouts and the records, too', async () => {
    const { findings } = await diagnosed({ DIRECT_DATABASE_URL: database.url })
    expect(findings.length).toBeGreaterThan(12)
    // Tests run on a PostgreSQL that does not wait for its disk.
    expect(findings.filter(({ severity }) => severity !== 'ok').map(({ found }) => found)).toEqual(['fsync is off'])
    const notifications = findings.find(({ check }) => check === 'notifications')
    expect(notifications?.found).toMatch(/^one arrived after \d+ ms$/)
  })
})
