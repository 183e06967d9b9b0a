import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { quantile, type Row } from '../../measure.ts'
import { connected, seedJobs } from '../../seed.ts'
import { submitter } from '../../submitter.ts'

const JOBS = 1_000_000
const QUICK_JOBS = 20_000
const DAYS_AGO = 500
const RETENTION_DAYS = '400'
/** A worker that starts warms its engines up. */
const WARM_UP_MS = 8_000
const QUIET_MS = 20_000
/** A run of the purge ends by itself after 45 s, and goes on a minute later: one is measured. */
const LONGEST_MS = 40_000
const AT_ONCE = 32
const { p99: MOST } = GOALS.purge
const BYTES = Buffer.alloc(4096)
const OLD = `select count(*)::int as jobs from job where account_id = $1 and created_at < now() - interval '${RETENTION_DAYS} days'`

/**
 * Submissions at 40 a second, with an API and a worker: alone, and while the worker deletes a month of 1,000,000 jobs with their ledger,
 * artifacts and files, or as much of it as one run of the purge does.
 */
export const purge: Row = {
  name: 'purge',
  what: 'submissions while a month of 1,000,000 jobs is deleted (quick: 20,000)',
  reach: `p99 <= ${MOST} x quiet`,
  run: async (environment) => {
    const { url } = await environment.database()
    const [old, submitting] = [
      await environment.account('bench purge'),
      await environment.account('bench beside purge'),
    ]
    const jobs = environment.quick ? QUICK_JOBS : JOBS
    return connected(url, async (client) => {
      await seedMonth(environment, client, old.accountId, jobs)
      const api = await environment.serve('serve')
      const submit = submitter(api.url, submitting)
      const idle = await environment.serve('work')
      await submit(() => wait(WARM_UP_MS))
      const quiet = await submit(() => wait(QUIET_MS))
      await idle.stop()
      const before = await walOf(client)
      const worker = await environment.serve('work', { JOB_RETENTION_DAYS: RETENTION_DAYS })
      const since = performance.now()
      await submit(() => wait(WARM_UP_MS))
      const beside = await submit(() => purged(client, old.accountId, since))
      const seconds = (performance.now() - since) / 1000
      const gone = jobs - (await oldJobs(client, old.accountId))
      const wal = (await walOf(client)) - before
      await Promise.all([api.stop(), worker.stop()])
      const [floor, value] = [quantile(quiet, 0.99), quantile(beside, 0.99)]
      const ratio = value / floor
      return {
        name: 'purge',
        measures: [
          { what: 'p99', unit: 'ms', floor, value, ratio, reach: `<= ${MOST} x floor`, reached: ratio <= MOST },
        ],
        notes: [
          `${gone} of ${jobs} jobs in ${seconds.toFixed(1)} s, ${(gone / seconds).toFixed(0)}/s, WAL with that of the ${beside.length} submissions ${(wal / gone).toFixed(0)} B for each`,
        ],
      }
    })
  },
}

/** Jobs that ended long ago, charged, and four in nine with a file. */
async function seedMonth(environment: Environment, client: Client, accountId: string, jobs: number): Promise<void> {
  await seedJobs(client, accountId, jobs, { days: 30, daysAgo: DAYS_AGO })
  await client.query(`delete from job where account_id = $1 and status in ('queued', 'processing')`, [accountId])
  await client.query(
    `insert into credit_entry (account_id, kind, amount, job_id, created_at)
     select account_id, 'charge', -cost, id, created_at from job where account_id = $1`,
    [accountId],
  )
  const { rows } = await client.query<{ id: string }>(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, captions)
     select 'art' || substr(id, 4), id, 'audio', id || '/1/audio.wav', 'audio/wav', ${BYTES.length}, decode(repeat('00', 32), 'hex'), 100, '{}'
     from job where account_id = $1 and type = 'voice' and status = 'completed' returning job_id as id`,
    [accountId],
  )
  await client.query('vacuum analyze job, artifact, credit_entry')
  const folder = join(await environment.dataDir(), 'artifacts')
  const queue = rows.values()
  const write = async () => {
    for (const { id } of queue) {
      await mkdir(join(folder, id, '1'), { recursive: true })
      await writeFile(join(folder, id, '1', 'audio.wav'), BYTES)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
  // What was seeded is on the disk before anything is measured: nothing of it is flushed next to one of the two times alone.
  await client.query('checkpoint')
  await promisify(execFile)('sync')
}

async function purged(client: Client, accountId: string, since: number): Promise<void> {
  while (performance.now() - since < LONGEST_MS && (await oldJobs(client, accountId)) > 0) await wait(1_000)
}

const oldJobs = async (client: Client, accountId: string): Promise<number> =>
  (await client.query<{ jobs: number }>(OLD, [accountId])).rows[0]!.jobs

const walOf = async (client: Client): Promise<number> =>
  (await client.query<{ bytes: number }>(`select pg_current_wal_lsn() - '0/0' as bytes`)).rows.map(({ bytes }) =>
    Number(bytes),
  )[0]!
