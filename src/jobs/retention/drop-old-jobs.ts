import { setTimeout as pause } from 'node:timers/promises'
import { inParallel } from '../../concurrency/in-parallel.ts'
import type { Parts } from '../../context/context.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { firstIdAt } from '../../values/id.ts'
import { deleteAudio, eraseJobs, tellErased } from './delete-job.ts'

export const PAGE_ROWS = 1000

/** Conditions on `job j`. */
export const ERASABLE = `status in ('completed', 'failed')
    and not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending')`
/** True if the job may have files. The deletion asks the store only for those. */
const STORES = `exists (select from artifact a where a.job_id = j.id and a.deleted_at is null)
    or exists (select from abandoned_attempt x where x.job_id = j.id) or exists (select from heard_attempt h where h.job_id = j.id) as stores`
const OLD = `
  select id, ${STORES} from job j where id > $1 and id < $2 and ${ERASABLE} order by id limit ${PAGE_ROWS}`
const NAMED = `select id, ${STORES} from job j where id = any($1) and ${ERASABLE}`

const AT_ONCE = 8
const NOTE = 'update artifact set deleted_at = now() where id = any($1) and deleted_at is null'
const ADVANCE = `
  insert into retention_progress as p (what, done_to) values ('artifact', $1)
  on conflict (what) do update set done_to = greatest(p.done_to, excluded.done_to)`

/** The repeated condition keeps a chat that was used between search and delete. */
const DROP = `
  delete from companion_chat where updated_at < $1 and id in (
    select id from companion_chat c where updated_at < $1 and not exists (
      select from job j where j.account_id = c.account_id and j.status in ('queued', 'processing') and j.chat_id = c.id)
    order by updated_at limit ${PAGE_ROWS})`

const DELETIONS_DAYS = 90
/** Before they are deleted: a cursor from before them is no longer answered. */
const KEEP_FROM = `
  insert into feed_horizon as h (feed, opened, kept_from) select 'job', clock_timestamp(), $1 where exists (select from deleted_job where deleted_at < $1)
  on conflict (feed) do update set kept_from = greatest(h.kept_from, excluded.kept_from)`
const FORGET = `
  delete from deleted_job where (account_id, deleted_at, job_id) in (
    select account_id, deleted_at, job_id from deleted_job where deleted_at < $1 order by deleted_at limit ${PAGE_ROWS})`

const BUDGET_MS = 45_000
const LONGEST_PAUSE_MS = 1_000
const DAY_MS = 86_400_000

const OLDEST = `
  select
    (select created_at from job j where id < $1 and status in ('completed', 'failed')
       and not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending') order by id limit 1) as jobs,
    (select created_at from artifact where id < $2 and deleted_at is null
       and id > coalesce((select done_to from retention_progress where what = 'artifact'), '') order by id limit 1) as audio,
    (select min(updated_at) from companion_chat where updated_at < $3) as chats`

interface OldJob {
  readonly id: string
  readonly stores: boolean
}

type RetentionParts = Pick<Parts, 'db' | 'storage' | 'settings' | 'now'>

interface RetentionBacklog {
  readonly jobs: number
  readonly audio: number
  readonly chats: number
}

/** Deletes jobs older than JOB_RETENTION_DAYS, files before rows, so a page can be repeated. */
export async function dropOldJobs(parts: RetentionParts & Pick<Parts, 'notifier'>): Promise<void> {
  const cutoff = cutoffOf(parts.now(), parts.settings.retention.jobDays)
  if (cutoff === null) return
  let after = ''
  await inPages(async () => {
    const { rows } = await parts.db.pool.query<OldJob>(OLD, [after, firstIdAt('job', cutoff)])
    await erasePage(parts, rows)
    after = rows.at(-1)?.id ?? after
    return rows.length === PAGE_ROWS
  })
}

/** Deletes those of a page of jobs that may be deleted, files before rows. */
export async function eraseNamed(
  parts: RetentionParts & Pick<Parts, 'notifier'>,
  ids: readonly string[],
): Promise<void> {
  await erasePage(parts, (await parts.db.pool.query<OldJob>(NAMED, [ids])).rows)
}

async function erasePage(parts: RetentionParts & Pick<Parts, 'notifier'>, rows: readonly OldJob[]): Promise<void> {
  if (rows.length === 0) return
  const stored = rows.filter(({ stores }) => stores)
  await deleteAudio(
    parts,
    stored.map(({ id }) => id),
  )
  const erased = await inTransaction(parts.db, (tx) =>
    eraseJobs(
      tx,
      rows.map(({ id }) => id),
    ),
  )
  tellErased(parts, erased)
}

/** Deletes outputs older than ARTIFACT_RETENTION_DAYS; their rows stay. */
export async function dropOldAudio({ db, storage, settings, now }: RetentionParts): Promise<void> {
  const cutoff = cutoffOf(now(), settings.retention.artifactDays)
  if (cutoff === null) return
  await inPages(async () => {
    const rows = await findOldAudio(db, firstIdAt('art', cutoff))
    const last = rows.at(-1)
    if (last === undefined) return false
    const there = rows.filter(({ deletedAt }) => deletedAt === null)
    await inParallel(there, AT_ONCE, ({ storageKey }) => storage.delete(storageKey))
    await db.pool.query(NOTE, [there.map(({ id }) => id)])
    await db.pool.query(ADVANCE, [last.id])
    return rows.length === PAGE_ROWS
  })
}

async function findOldAudio({ prisma }: Database, before: string) {
  const progress = await prisma.retentionProgress.findUnique({ where: { what: 'artifact' } })
  return prisma.artifact.findMany({
    where: { id: { gt: progress?.doneTo ?? '', lt: before } },
    orderBy: { id: 'asc' },
    take: PAGE_ROWS,
    select: { id: true, storageKey: true, deletedAt: true },
  })
}

/** Deletes chats unused for CHAT_RETENTION_DAYS, unless a job uses them. */
export async function dropOldChats({ db, settings, now }: RetentionParts): Promise<void> {
  const cutoff = cutoffOf(now(), settings.retention.chatDays)
  if (cutoff === null) return
  await inPages(async () => (await db.pool.query(DROP, [cutoff])).rowCount === PAGE_ROWS)
}

/** Forgets deletions that the feed of changes has told for 90 days. */
export async function forgetDeletions({ db, now }: Pick<RetentionParts, 'db' | 'now'>): Promise<void> {
  const cutoff = cutoffOf(now(), DELETIONS_DAYS)
  const { rowCount } = await db.pool.query(KEEP_FROM, [cutoff])
  if (rowCount === 0) return
  await inPages(async () => (await db.pool.query(FORGET, [cutoff])).rowCount === PAGE_ROWS)
}

/** Null: kept for ever. */
export const cutoffOf = (now: Date, days: number): Date | null =>
  days === 0 ? null : new Date(now.getTime() - days * DAY_MS)

/** Repeats a page until it returns false or the time is over. Pauses as long as a page took. */
export async function inPages(page: () => Promise<boolean>): Promise<void> {
  const started = performance.now()
  for (;;) {
    const begun = performance.now()
    if (!(await page()) || performance.now() - started > BUDGET_MS) return
    await pause(Math.min(performance.now() - begun, LONGEST_PAUSE_MS), undefined, { ref: false })
  }
}

/** Seconds by which the oldest job, output and chat exceed their retention. */
export async function retentionBacklogSeconds(parts: Omit<RetentionParts, 'storage'>): Promise<RetentionBacklog> {
  const { jobDays, artifactDays, chatDays } = parts.settings.retention
  const now = parts.now()
  const [jobs, audio, chats] = [cutoffOf(now, jobDays), cutoffOf(now, artifactDays), cutoffOf(now, chatDays)]
  if (jobs === null && audio === null && chats === null) return { jobs: 0, audio: 0, chats: 0 }
  const values = [jobs && firstIdAt('job', jobs), audio && firstIdAt('art', audio)].map((id) => id ?? '')
  const { rows } = await parts.db.pool.query<Record<keyof RetentionBacklog, Date | null>>(OLDEST, [
    ...values,
    chats ?? new Date(0),
  ])
  const overdue = (cutoff: Date | null, oldest: Date | null | undefined): number =>
    cutoff && oldest ? Math.max(0, (cutoff.getTime() - oldest.getTime()) / 1000) : 0
  const [oldest] = rows
  return {
    jobs: overdue(jobs, oldest?.jobs),
    audio: overdue(audio, oldest?.audio),
    chats: overdue(chats, oldest?.chats),
  }
}
