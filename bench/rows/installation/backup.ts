import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { quantile, type Row } from '../../measure.ts'
import { connected, seedJobs } from '../../seed.ts'
import { submitter } from '../../submitter.ts'

const JOBS = 1_000_000
const QUICK_JOBS = 200_000
const QUIET_SECONDS = 15
const { p99: MOST } = GOALS.backup

/** Submissions at 40 a second: alone, and while `sonant backup` writes a database of 1,000,000 jobs. The floor is the quiet p99. */
export const backup: Row = {
  name: 'backup',
  what: 'submissions while 1,000,000 jobs are backed up',
  reach: `p99 <= ${MOST} x quiet`,
  run: async (environment) => {
    const jobs = environment.quick ? QUICK_JOBS : JOBS
    const database = await environment.database()
    await connected(database.url, (client) => seedJobs(client, database.accountId, jobs))
    const service = await environment.serve('serve')
    const submit = submitter(service.url, database)
    await submit(async () => wait(1_000))
    const quiet = quantile(await submit(async () => wait(QUIET_SECONDS * 1000)), 0.99)
    const dir = join(await environment.directory(), 'backup')
    const since = performance.now()
    const beside = quantile(await submit(() => runBackup(environment, dir)), 0.99)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    await service.stop()
    const ratio = beside / quiet
    const measure = {
      what: 'p99',
      unit: 'ms',
      floor: quiet,
      value: beside,
      ratio,
      reach: `<= ${MOST} x floor`,
      reached: ratio <= MOST,
    }
    return { name: 'backup', measures: [measure], notes: [`${jobs} jobs in ${seconds} s`] }
  },
}

const runBackup = (environment: Environment, dir: string) => environment.sonant('backup', dir)
