import type { Context } from '../context/context.ts'
import { queuedTypeSql } from '../jobs/job-states.ts'
import { retentionBacklogSeconds } from '../jobs/retention/drop-old-jobs.ts'
import { commandLine } from '../values/program.ts'
import { type Check, error, ok, orOk, warning } from './finding.ts'

const ACCOUNTS = 1_000
const JOBS = 1_000
const DAY_SECONDS = 86_400
const OLD_BACKUP_DAYS = 7

const DRIFT = `
  select a.id from (select id, credits from account order by id desc limit ${ACCOUNTS}) a
  where a.credits <> (select coalesce(sum(amount), 0) from credit_entry e where e.account_id = a.id) limit 5`
const HELD = `
  select a.id from (select id, held from account order by id desc limit ${ACCOUNTS}) a
  where a.held <> (select coalesce(sum(held), 0) from job j where j.account_id = a.id and j.held is not null
    and j.status in ('queued', 'processing')) limit 5`
const UNFINISHED = `
  select id from job where status in ('queued', 'processing') and ${queuedTypeSql('type')}
    and created_at < now() - interval '1 minute' order by id limit ${JOBS}`
const SILENT = `
  select id from (select id from job where status = 'completed' and type = 'voice' order by id desc limit ${JOBS}) job
  where not exists (select from artifact where artifact.job_id = job.id) limit 5`

/** Compares ledger, artifacts and queue for the newest accounts and jobs. */
export const bookCheck: Check<Context> = {
  check: 'records',
  needsSchema: true,
  run: async ({ db, queue }) => {
    const drift = await idsOf(db.readPool, DRIFT)
    const held = await idsOf(db.readPool, HELD)
    const silent = await idsOf(db.readPool, SILENT)
    const lost = await idsOf(db.pool, queue.unqueued(UNFINISHED))
    const findings = [
      ...drift.map((id) => error(`the credits of ${id} are not the sum of its ledger`, 'compare it with a backup')),
      ...held.map((id) => error(`${id} holds other credits than its unfinished jobs do`, 'compare it with a backup')),
      ...silent.map((id) => error(`${id} is completed and has no audio`, 'restore its rows from a backup')),
      ...(lost.length === 0
        ? []
        : [warning(`${lost.length} unfinished jobs are in no queue`, 'start a worker: it queues them again')]),
    ]
    return orOk(findings, 'ledger, artifacts and queue agree')
  },
}

export const retentionCheck: Check<Context> = {
  check: 'retention',
  needsSchema: true,
  run: async (ctx) => {
    const late = Object.entries(await retentionBacklogSeconds(ctx)).filter(([, seconds]) => seconds > DAY_SECONDS)
    const findings = late.map(([what, seconds]) =>
      warning(
        `${what} are ${Math.round(seconds / DAY_SECONDS)} days late for deletion`,
        'start a worker: it deletes them',
      ),
    )
    return orOk(findings, 'nothing is over a day late for deletion')
  },
}

const BACKUP = `
  select extract(epoch from now() - coalesce(backed_up_at, created_at))::float8 as seconds, backed_up_at is null as never
  from installation`

export const backupCheck: Check<Context> = {
  check: 'backup',
  needsSchema: true,
  run: async ({ db }) => {
    const { rows } = await db.pool.query<{ seconds: number; never: boolean }>(BACKUP)
    const { seconds = 0, never = true } = rows[0] ?? {}
    const days = Math.floor(seconds / DAY_SECONDS)
    const found = never ? `none since the installation, ${days} days ago` : `the last one was made ${days} days ago`
    return [
      days >= OLD_BACKUP_DAYS
        ? warning(found, `run ${commandLine('backup DIR')}, or back the database up yourself`)
        : ok(found),
    ]
  },
}

async function idsOf(pool: Context['db']['pool'], text: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(text)
  return rows.map(({ id }) => id)
}
