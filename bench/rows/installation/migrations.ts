import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { openDatabase } from '../../../src/db/database.ts'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/db/migrations/migration-files.ts'
import { closePartition } from '../../../src/jobs/partitions/partitions.ts'
import { firstIdAt, newId } from '../../../src/values/id.ts'
import { openLog } from '../../../src/values/log.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, type Row } from '../../measure.ts'
import { seedJobs } from '../../seed.ts'
import { keptBy, seedLedger } from '../../seed-audio.ts'

const DAY_MS = 86_400_000
const JOBS = 10_000_000
const QUICK_JOBS = 200_000
const { longestSeconds: LONGEST_WAIT_SECONDS } = GOALS.migrations
const ACCOUNT = 'acc_01kbenchbenchbenchbenchben'
/** More than all jobs cost. */
const GRANT = `insert into credit_entry (account_id, kind, amount) values ($1, 'grant', 1000000000000)`
const ARTIFACTS = `
  insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at)
  select 'art' || substr(id, 4), id, 'audio', id || '/1/audio.wav', 'audio/wav', 48044, sha256(id::bytea), 1000, completed_at
  from job where account_id = $1 and type = 'voice' and status = 'completed' order by id`
/** A job and its charge, in one transaction. */
const INSERT = `
  with made as (
    insert into job (id, account_id, type, endpoint_key, inputs, cost, created_at) values ($1, $2, 'voice', 'tts', '{}', 50, now())
    returning id, account_id, cost
  )
  insert into credit_entry (account_id, kind, amount, job_id) select account_id, 'charge', -cost, id from made`
/** So many of the jobs that were there before, from all over the table, have their state changed. */
const CHANGED = 2_000
const TAKE_AGAIN = `update job set status = 'processing', attempt = attempt + 1, completed_at = null where id = $1`
const COMPLETE = `update job set status = 'completed', completed_at = now() where id = $1`

/** The usual steps of a release: a column, its fill in pages, a constraint, an index. */
const LATER = `-- locks: job (ACCESS EXCLUSIVE)
alter table job add column colour text;
-- in pages
with page as (select id from job where status = 'failed' and id > coalesce($1, '') order by id limit 1000),
  done as (update job set colour = 'red' where id in (select id from page))
select max(id) as cursor, count(*) as rows from page;
-- in one transaction
-- locks: job (ACCESS EXCLUSIVE)
alter table job add constraint job_colour_check check (colour <> '') not valid;
-- concurrently
-- locks: job (SHARE UPDATE EXCLUSIVE)
alter table job validate constraint job_colour_check;
-- locks: job (SHARE UPDATE EXCLUSIVE)
create index concurrently job_colour_idx on job (account_id, colour, id);`

/**
 * A later migration over 10,000,000 jobs with their ledger and artifacts, beside two that write without a pause: one new jobs with their
 * charges, the other the state of old ones. The longest wait of each, and of both while the partition of them all is closed.
 */
export const migrations: Row = {
  name: 'migrations',
  what: 'INSERT into job and credit_entry, and UPDATE of a job, while a later migration runs over 10,000,000 jobs (quick: 200,000)',
  reach: `longest of each <= ${LONGEST_WAIT_SECONDS} s`,
  run: async (environment) => {
    const jobs = environment.quick ? QUICK_JOBS : JOBS
    const directory = await environment.directory()
    const { url } = await environment.open(
      () => openEmbedded(directory, openLog('warn')),
      (embedded) => embedded.close(),
    )
    const db = await environment.open(
      async () => openDatabase(url, openLog('warn')),
      (opened) => opened.close(),
    )
    const [inserting, updating] = [await openClient(environment, url), await openClient(environment, url)]
    await migrate(db, openLog('warn'))
    await inserting.query('insert into account (id, name) values ($1, $1)', [ACCOUNT])
    await seed(inserting, jobs)
    const { artifacts, entries } = await keptBy(inserting, ACCOUNT)
    const old = await someJobs(updating, jobs)
    const folder = await withLater(environment)
    const beside = async (act: () => Promise<unknown>) => {
      const since = performance.now()
      const work = act()
      const [inserted, updated] = await Promise.all([
        writeDuring(work, () => inserting.query(INSERT, [newId('job'), ACCOUNT])),
        writeDuring(work, (n) => updating.query(n % 2 === 0 ? TAKE_AGAIN : COMPLETE, [old[(n >> 1) % old.length]])),
      ])
      return { inserted, updated, seconds: ((performance.now() - since) / 1000).toFixed(1) }
    }
    const { inserted, updated, seconds } = await beside(() => migrate(db, openLog('warn'), { folder }))
    const closing = await openClient(environment, url)
    const closed = await beside(() => closePartition(closing, firstIdAt('job', new Date(Date.now() + DAY_MS))))
    return {
      name: 'migrations',
      measures: [
        atMost('longest INSERT', 's', inserted.longest, LONGEST_WAIT_SECONDS),
        atMost('longest UPDATE', 's', updated.longest, LONGEST_WAIT_SECONDS),
        atMost(
          'longest beside the closing of a partition',
          's',
          Math.max(closed.inserted.longest, closed.updated.longest),
          LONGEST_WAIT_SECONDS,
        ),
      ],
      notes: [
        `${jobs} jobs, ${entries} entries of the ledger, ${artifacts} artifacts: ${seconds} s altogether`,
        `meanwhile ${inserted.written} jobs written with their charges, and ${updated.written} states of ${old.length} old ones`,
        `a partition of all of them is closed in ${closed.seconds} s`,
      ],
    }
  },
}

/** Ends before its server does. */
const openClient = (environment: Environment, url: string): Promise<Client> =>
  environment.open(
    async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      return client
    },
    (client) => client.end(),
  )

/** Without the checks of foreign keys, which take as long as the rows. */
async function seed(client: Client, jobs: number): Promise<void> {
  await seedJobs(client, ACCOUNT, jobs)
  await client.query('set session_replication_role = replica')
  await client.query(GRANT, [ACCOUNT])
  await seedLedger(client, ACCOUNT)
  await client.query(ARTIFACTS, [ACCOUNT])
  await client.query('reset session_replication_role')
  await client.query('vacuum analyze artifact')
}

/** Completed ones, from pages all over the table. */
async function someJobs(client: Client, jobs: number): Promise<string[]> {
  const text = `select id from job tablesample system (${(100 * CHANGED) / jobs}) where status = 'completed'`
  const { rows } = await client.query<{ id: string }>(text)
  if (rows.length === 0) throw new Error('the sample has no completed job')
  return rows.map(({ id }) => id)
}

async function withLater(environment: Environment): Promise<string> {
  const folder = await environment.directory()
  await cp(MIGRATIONS, folder, { recursive: true })
  await mkdir(join(folder, '29990101000000_later'))
  await writeFile(join(folder, '29990101000000_later', 'migration.sql'), LATER)
  return folder
}

/** One statement after the other while something goes on, each of one row; the longest took so many seconds. */
async function writeDuring(
  work: Promise<unknown>,
  write: (n: number) => Promise<{ readonly rowCount: number | null }>,
): Promise<{ longest: number; written: number }> {
  let [longest, written, done] = [0, 0, false]
  const settled = work.finally(() => {
    done = true
  })
  // It is waited for below, unless a write fails first.
  settled.catch(() => undefined)
  while (!done) {
    const since = performance.now()
    const { rowCount } = await write(written++)
    if (rowCount !== 1) throw new Error(`a writer changed ${rowCount} rows instead of one`)
    longest = Math.max(longest, (performance.now() - since) / 1000)
  }
  await settled
  return { longest, written }
}
