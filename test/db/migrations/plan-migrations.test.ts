import type { PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS, migrationNames, readMigration } from '../../../src/db/migrations/migration-files.ts'
import { planMigrations } from '../../../src/db/migrations/plan-migrations.ts'
import type { Step } from '../../../src/db/migrations/steps.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'

const PARTITIONED = '20261127190000_partition_jobs'
/** What holds up writes, or another step, from the weakest on. */
const MODES = ['SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'] as const
const log = openLog('silent')

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())

interface Lock {
  readonly table: string
  readonly mode: string
}

/** The strongest lock of each table. */
function strongest(locks: readonly Lock[]): Lock[] {
  const strength = ({ mode }: Lock) => MODES.indexOf(mode as (typeof MODES)[number])
  const those = locks.filter((lock) => strength(lock) >= 0).toSorted((a, b) => strength(b) - strength(a))
  return those
    .filter(({ table }, at) => at === those.findIndex((one) => one.table === table))
    .toSorted((a, b) => a.table.localeCompare(b.table))
}

const tables = async (client: PoolClient) =>
  (
    await client.query<{ oid: number; name: string }>(
      `select oid, relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    )
  ).rows

/** What PostgreSQL locks for a step, by the names of `before`; what is made anew under such a name counts from the next step on. */
async function runStep(client: PoolClient, { sql }: Step, before: ReadonlyMap<number, string>): Promise<Lock[]> {
  const names = new Map(before)
  for (const { oid, name } of await tables(client))
    if ([...before.values()].includes(name) && !names.has(oid)) names.set(oid, name)
  await client.query('begin')
  await client.query(sql)
  const { rows } = await client.query<{ relation: number; mode: string }>(
    `select relation, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`,
  )
  await client.query('commit')
  return rows.flatMap(({ relation, mode }) => {
    const table = names.get(relation)
    const words = mode
      .replace(/Lock$/, '')
      .replace(/(?<=.)[A-Z]/g, ' $&')
      .toUpperCase()
    return table === undefined ? [] : [{ table, mode: words }]
  })
}

describe('the plan of migrations', () => {
  test('of all that came after the first version says what PostgreSQL locks', async () => {
    await migrate(workshop.db, log, { folder: await workshop.write({}, 1) })
    const plan = await planMigrations(workshop.db.pool)
    const client = await workshop.db.pool.connect()
    const before = new Map((await tables(client)).map(({ oid, name }) => [oid, name]))
    const [planned, locked]: Record<string, Lock[]>[] = [{}, {}]
    try {
      for (const { name, steps } of plan) {
        const migration = await readMigration(MIGRATIONS, name, true)
        for (const [at, step] of migration.steps.entries()) {
          if (step.kind === 'transaction') {
            planned![`${name} ${at}`] = strongest(steps[at]!.locks)
            locked![`${name} ${at}`] = strongest(await runStep(client, step, before))
          } else {
            await client.query(step.sql.replaceAll('$1', 'null'))
          }
        }
      }
    } finally {
      client.release()
    }
    expect(planned).toEqual(locked)
    expect(Object.keys(planned!).length).toBeGreaterThan(30)
  })

  test('knows tables by the names that they have when it begins, however pending migrations rename, replace and attach them', async () => {
    const later = {
      '29990101000000_later': `CREATE INDEX "job_later" ON "job" ("id");\n-- in one transaction\nALTER TABLE "job_first" ADD COLUMN "a" INT;
-- in one transaction\nDROP INDEX "job_status_id_idx";`,
    }
    const steps = async () =>
      (await planMigrations(workshop.db.pool, await workshop.write(later, Number.POSITIVE_INFINITY))).flatMap(
        ({ name, steps }) => steps.map(({ locks }) => [name, strongest(locks)] as const),
      )
    const before = (await migrationNames(MIGRATIONS)).indexOf(PARTITIONED)
    await migrate(workshop.db, log, { folder: await workshop.write({}, before) })
    const pending = await steps()
    const of = (name: string) => pending.filter((one) => one[0] === name).map(([, locks]) => locks)
    const share = [{ table: 'job', mode: 'SHARE' }]
    const all = [{ table: 'job', mode: 'ACCESS EXCLUSIVE' }]
    expect(of('29990101000000_later')).toEqual([share, all, all])
    expect(of(PARTITIONED).slice(1, 3)).toEqual([
      ['artifact', 'job'].map((table) => ({ table, mode: 'ACCESS EXCLUSIVE' })),
      ['account', 'job'].map((table) => ({ table, mode: 'ACCESS EXCLUSIVE' })),
    ])
    expect(of(PARTITIONED).slice(-4, -1)).toEqual(
      ['job', 'artifact', 'credit_entry'].map((table) => [{ table, mode: 'SHARE UPDATE EXCLUSIVE' }]),
    )
    expect(pending.flatMap(([, locks]) => locks).filter(({ table }) => /_first|_default/.test(table))).toEqual([])
    await migrate(workshop.db, log)
    expect((await steps()).map(([, locks]) => locks)).toEqual([
      share,
      [{ table: 'job_first', mode: 'ACCESS EXCLUSIVE' }],
      all,
    ])
  })
})
