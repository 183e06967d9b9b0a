import type { Parts } from '../../context/context.ts'
import { partsFolder } from './part-key.ts'

/** After the last part was read: a listener holds seconds of sound, and is sent away where it takes nothing for a minute. */
export const GRACE_MS = 600_000
const PAGE_ROWS = 1000

const HEARD = `select job_id, attempt from heard_attempt where completed_at <= now() - $1 * interval '1 millisecond'
  order by completed_at limit ${PAGE_ROWS}`
const FORGET = 'delete from heard_attempt where job_id = $1 and attempt = $2'

/**
 * Deletes the parts of completed jobs that were listened to, once no listener reads them any more: new ones read the whole file, those of
 * before cannot where it is lossy. Any number of processes may do this at once.
 * Returns how many jobs there were; there may be more after a thousand.
 */
export async function deleteHeardParts(
  { db, storage }: Pick<Parts, 'db' | 'storage'>,
  graceMs = GRACE_MS,
): Promise<number> {
  const { rows } = await db.pool.query<{ job_id: string; attempt: number }>(HEARD, [graceMs])
  for (const { job_id, attempt } of rows) {
    await storage.deleteBelow(partsFolder(job_id, attempt))
    await db.pool.query(FORGET, [job_id, attempt])
  }
  return rows.length
}
