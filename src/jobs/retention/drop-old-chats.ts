import type { RetentionParts } from './drop-old-jobs.ts'
import { cutoffOf, inPages, PAGE_ROWS } from './retention-pages.ts'

/** The repeated condition keeps a chat that was used between search and delete. */
const DROP = `
  delete from companion_chat where updated_at < $1 and id in (
    select id from companion_chat c where updated_at < $1 and not exists (
      select from job j where j.account_id = c.account_id and j.status in ('queued', 'processing') and j.chat_id = c.id)
    order by updated_at limit ${PAGE_ROWS})`

/** Deletes chats unused for CHAT_RETENTION_DAYS, unless a job uses them. */
export async function dropOldChats({ db, settings, now }: RetentionParts): Promise<void> {
  const cutoff = cutoffOf(now(), settings.retention.chatDays)
  if (cutoff === null) return
  await inPages(async () => (await db.pool.query(DROP, [cutoff])).rowCount === PAGE_ROWS)
}
