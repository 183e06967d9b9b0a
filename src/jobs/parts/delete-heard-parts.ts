import type { Parts } from '../../context/context.ts'
import { partsFolder } from './part-key.ts'

/** Listeners that take nothing for a minute are disconnected earlier. */
export const GRACE_MS = 600_000
const PAGE_ROWS = 1000

const HEARD = `select job_id, attempt from heard_attempt where completed_at <= now() - $1 * interval '1 millisecond'
  order by completed_at limit ${PAGE_ROWS}`
const FORGET = 'delete from heard_attempt where job_id = $1 and attempt = $2'

/**
 * Deletes parts of up to 1,000 completed jobs that no listener reads any more.
 * @returns the number of jobs
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
