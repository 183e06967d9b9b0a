import type { Parts } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { firstIdAt } from '../../values/id.ts'
import { deleteAudio } from './delete-audio.ts'
import { eraseJobs, tellErased } from './erase-jobs.ts'
import { cutoffOf, inPages, PAGE_ROWS } from './retention-pages.ts'

/** `stores` spares calls to the store. */
const OLD = `
  select id, exists (select from artifact a where a.job_id = j.id and a.deleted_at is null)
    or exists (select from abandoned_attempt x where x.job_id = j.id) or exists (select from heard_attempt h where h.job_id = j.id) as stores
  from job j where id > $1 and id < $2 and status in ('completed', 'failed')
    and not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending') order by id limit ${PAGE_ROWS}`

interface OldJob {
  readonly id: string
  readonly stores: boolean
}

export type RetentionParts = Pick<Parts, 'db' | 'storage' | 'settings' | 'now'>

/** Deletes jobs older than JOB_RETENTION_DAYS, files before rows, so a page can be repeated. */
export async function dropOldJobs(parts: RetentionParts & Pick<Parts, 'notifier'>): Promise<void> {
  const cutoff = cutoffOf(parts.now(), parts.settings.retention.jobDays)
  if (cutoff === null) return
  let after = ''
  await inPages(async () => {
    const { rows } = await parts.db.pool.query<OldJob>(OLD, [after, firstIdAt('job', cutoff)])
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
    after = rows.at(-1)?.id ?? after
    return rows.length === PAGE_ROWS
  })
}
