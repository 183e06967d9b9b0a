import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { openDatabase } from '../../../src/db/database.ts'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/db/migrations/migration-files.ts'
import { openLog } from '../../../src/values/log.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import type { Measure, Row } from '../../measure.ts'
import { seedJobs } from '../../seed.ts'

const JOBS = 10_000_000
const QUICK_JOBS = 200_000
const { longestSeconds: LONGEST_WAIT_SECONDS } = GOALS.migrations
const ACCOUNT = 'acc_01kbenchbenchbenchbenchben'

/**
 * A database of the first version with 10,000,000 jobs, and all migrations since: the longest wait of an INSERT into `job`, one after the
 * other, while they run. No floor: nothing can do without locks.
 */
export const migrations: Row = {
  name: 'migrations',
  what: 'INSERT into job while all migrations run over 10,000,000 jobs (quick: 200,000)',
  reach: `longest <= ${LONGEST_WAIT_SECONDS} s`,
  run: async (environment) => {
    const jobs = environment.quick ? QUICK_JOBS : JOBS
    const embedded = await openEmbedded(await environment.directory(), openLog('warn'))
    const db = openDatabase(embedded.url, openLog('warn'))
    const writer = new Client({ connectionString: embedded.url })
    try {
      await migrate(db, openLog('warn'), { folder: await firstVersion(environment) })
      await writer.connect()
      await writer.query('insert into account (id, name) values ($1, $1)', [ACCOUNT])
      await seedJobs(writer, ACCOUNT, jobs)
      const since = performance.now()
      const migrated = migrate(db, openLog('warn'))
      const { longest, written } = await insertUntil(writer, migrated)
      const seconds = ((performance.now() - since) / 1000).toFixed(1)
      return {
        name: 'migrations',
        measures: [measureOf(longest)],
        notes: [`${jobs} jobs: ${seconds} s altogether, ${written} rows written meanwhile`],
      }
    } finally {
      await writer.end()
      await db.close()
      await embedded.close()
    }
  },
}

const measureOf = (longest: number): Measure => ({
  what: 'longest INSERT',
  unit: 's',
  floor: null,
  value: longest,
  ratio: null,
  reach: migrations.reach,
  reached: longest <= LONGEST_WAIT_SECONDS,
})

async function firstVersion(environment: Environment): Promise<string> {
  const folder = await environment.directory()
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  const first = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()[0] as string
  await cp(join(MIGRATIONS, first), join(folder, first), { recursive: true })
  return folder
}

async function insertUntil(writer: Client, work: Promise<void>): Promise<{ longest: number; written: number }> {
  let [longest, written, done] = [0, 0, false]
  const settled = work.finally(() => {
    done = true
  })
  while (!done) {
    const since = performance.now()
    await writer.query(
      `insert into job (id, account_id, type, endpoint_key, inputs, created_at) values ($1, $2, 'voice', 'tts', '{}', now())`,
      [`job_new_${written++}`, ACCOUNT],
    )
    longest = Math.max(longest, (performance.now() - since) / 1000)
  }
  await settled
  return { longest, written }
}
