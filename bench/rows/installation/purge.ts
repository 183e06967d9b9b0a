import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { openDatabase } from '../../../src/db/database.ts'
import { foldJobRollUp } from '../../../src/jobs/rollup/fold-job-rollup.ts'
import { firstIdAt } from '../../../src/values/id.ts'
import { openLog } from '../../../src/values/log.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { quantile, type Row } from '../../measure.ts'
import { connected, seedJobs } from '../../seed.ts'
import { filesIn, flushSeeded, keptBy, seedAudio, seedLedger } from '../../seed-audio.ts'
import { submitter } from '../../submitter.ts'

const JOBS = 1_000_000
const QUICK_JOBS = 20_000
const DAYS_AGO = 500
const RETENTION_DAYS = 400
/** A worker that starts warms its engines up. */
const WARM_UP_MS = 8_000
const QUIET_MS = 20_000
/** A run of the purge ends by itself after 45 s, and the next one begins with the next minute: so much of each is measured. */
const LONGEST_MS = 36_000
const RUNS = 5
/** Until the next run has deleted a first page. */
const NEXT_RUN_MS = 90_000
const POLL_MS = 500
/** Nothing has gone for so long: the run has ended. A page with its rest takes less. */
const LONGEST_PAGE_MS = 8_000
const { p99: MOST } = GOALS.purge
const BYTES = Buffer.alloc(4096)
const OLDEST = `select id from job where account_id = $1 order by id limit 1`

/**
 * Submissions at 40 a second, with an API and a worker: alone, and while the worker deletes a month of 1,000,000 jobs with their ledger,
 * artifacts and files. The whole month takes an hour; measured are five runs of the purge without the rests between them, and the note says
 * how much of the month they have deleted. A run that deletes nothing is no figure.
 */
export const purge: Row = {
  name: 'purge',
  what: 'submissions while a part of a month of 1,000,000 jobs is deleted, five runs of the purge (quick: 20,000 jobs, one run)',
  reach: `p99 <= ${MOST} x quiet`,
  run: async (environment) => {
    const { url } = await environment.database()
    const [old, submitting] = [
      await environment.account('bench purge'),
      await environment.account('bench beside purge'),
    ]
    return connected(url, async (client) => {
      await seedMonth(environment, client, old.accountId)
      const month = { client, accountId: old.accountId, dataDir: await environment.dataDir() }
      const whole = await remains(month)
      const api = await environment.serve('serve')
      const submit = submitter(api.url, submitting)
      const idle = await environment.serve('work')
      await submit(() => wait(WARM_UP_MS))
      const quiet = await submit(() => wait(QUIET_MS))
      await idle.stop()
      const worker = await environment.serve('work', { JOB_RETENTION_DAYS: String(RETENTION_DAYS) })
      await submit(() => wait(WARM_UP_MS))
      const runs: Run[] = []
      while (runs.length < (environment.quick ? 1 : RUNS) && (await oldest(month)) !== null) {
        if (runs.length > 0) await nextRun(month)
        runs.push(await measured(month, submit))
      }
      await Promise.all([api.stop(), worker.stop()])
      const [floor, value] = [
        quantile(quiet, 0.99),
        quantile(
          runs.flatMap(({ times }) => times),
          0.99,
        ),
      ]
      const ratio = value / floor
      return {
        name: 'purge',
        measures: [
          { what: 'p99', unit: 'ms', floor, value, ratio, reach: `<= ${MOST} x floor`, reached: ratio <= MOST },
        ],
        notes: [noteOf(runs, whole)],
      }
    })
  },
}

interface Month {
  readonly client: Client
  readonly accountId: string
  readonly dataDir: string
}

/** Jobs that ended long ago, with their ledger, and four in nine with a file. What the seeding has noted for statistics is folded before. */
async function seedMonth(environment: Environment, client: Client, accountId: string): Promise<void> {
  const jobs = environment.quick ? QUICK_JOBS : JOBS
  await seedJobs(client, accountId, jobs, { days: 30, daysAgo: DAYS_AGO })
  await client.query(`delete from job where account_id = $1 and status in ('queued', 'processing')`, [accountId])
  await seedLedger(client, accountId)
  await seedAudio(client, accountId, { dataDir: await environment.dataDir(), bytes: BYTES })
  const db = openDatabase((await environment.database()).url, openLog('warn'))
  await foldJobRollUp(db).finally(() => db.close())
  await client.query('vacuum analyze job, job_rollup, job_event')
  await flushSeeded(client)
}

interface Counts {
  readonly jobs: number
  readonly rows: number
  readonly files: number
}

/** `rows`: of the ledger and of artifacts. Files are those of old jobs: what is submitted meanwhile has some, too. */
async function remains({ client, accountId, dataDir }: Month): Promise<Counts> {
  const { jobs, artifacts, entries } = await keptBy(client, accountId)
  const cutoff = firstIdAt('job', new Date(Date.now() - RETENTION_DAYS * 86_400_000))
  return { jobs, rows: artifacts + entries, files: await filesIn(dataDir, cutoff) }
}

interface Run extends Counts {
  /** Times of the submissions meanwhile, in milliseconds. */
  readonly times: readonly number[]
  readonly seconds: number
  /** With that of the submissions. */
  readonly walBytes: number
}

/** One run of the purge, as long as it is sure to go on; counted before and after, while nothing is measured. */
async function measured(month: Month, submit: ReturnType<typeof submitter>): Promise<Run> {
  const [before, wal] = [await remains(month), await walOf(month)]
  const since = performance.now()
  const times = await submit(async () => {
    while (performance.now() - since < LONGEST_MS && (await oldest(month)) !== null) await wait(POLL_MS)
  })
  const seconds = (performance.now() - since) / 1000
  const walBytes = (await walOf(month)) - wal
  const after = await remains(month)
  const gone = { jobs: before.jobs - after.jobs, rows: before.rows - after.rows, files: before.files - after.files }
  const none = Object.entries(gone).filter(([, count]) => count <= 0)
  if (none.length > 0) throw new Error(`no ${none.map(([what]) => what).join(', no ')} were deleted while measured`)
  return { ...gone, times, seconds, walBytes }
}

const oldest = async ({ client, accountId }: Month): Promise<string | null> =>
  (await client.query<{ id: string }>(OLDEST, [accountId])).rows[0]?.id ?? null

const walOf = async ({ client }: Month): Promise<number> =>
  Number((await client.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0' as bytes`)).rows[0]!.bytes)

/** Waits until the run that was measured has ended, and another one has begun. */
async function nextRun(month: Month): Promise<void> {
  const deadline = performance.now() + NEXT_RUN_MS
  let [last, still] = [await oldest(month), 0]
  const changes = async () => {
    await wait(POLL_MS)
    if (performance.now() > deadline) throw new Error('the purge does not go on')
    const now = await oldest(month)
    still = now === last ? still + POLL_MS : 0
    last = now
  }
  while (still < LONGEST_PAGE_MS) await changes()
  while (still > 0) await changes()
}

function noteOf(runs: readonly Run[], whole: Counts): string {
  const sum = (of: (run: Run) => number) => runs.reduce((all, run) => all + of(run), 0)
  const [jobs, rows, files] = [sum((run) => run.jobs), sum((run) => run.rows), sum((run) => run.files)]
  const seconds = sum((run) => run.seconds)
  return [
    `deleted while measured: ${jobs} of ${whole.jobs} jobs (${((100 * jobs) / whole.jobs).toFixed(1)} %)`,
    `${rows} of ${whole.rows} rows of ledger and artifacts`,
    `${files} of ${whole.files} files, ${runs.length} runs of ${seconds.toFixed(0)} s together`,
    `${(jobs / seconds).toFixed(0)} jobs/s beside ${sum((run) => run.times.length)} submissions`,
    `WAL with that of these ${(sum((run) => run.walBytes) / jobs).toFixed(0)} B a job`,
  ].join(', ')
}
