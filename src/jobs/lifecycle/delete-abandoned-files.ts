import type { Parts } from '../../context/context.ts'

/** A live worker of an abandoned attempt deletes its files itself after its next heartbeat. */
export const GRACE_MS = 600_000
const PAGE_ROWS = 1000
const AT_ONCE = 8

const ABANDONED = `
  select x.job_id, x.attempt from abandoned_attempt x
  where x.abandoned_at <= now() - $1 * interval '1 millisecond' and not exists (
    select from artifact a where a.job_id = x.job_id and starts_with(a.storage_key, x.job_id || '/' || x.attempt || '/'))
  order by x.abandoned_at limit ${PAGE_ROWS}`
const FORGET = 'delete from abandoned_attempt where job_id = $1 and attempt = $2'

interface Row {
  job_id: string
  attempt: number
}

/**
 * Deletes files of up to 1,000 attempts that did not complete their jobs.
 * @returns the number of attempts
 */
export async function deleteAbandonedFiles(
  { db, storage }: Pick<Parts, 'db' | 'storage'>,
  graceMs = GRACE_MS,
): Promise<number> {
  const { rows } = await db.pool.query<Row>(ABANDONED, [graceMs])
  const queue = rows.values()
  const deleteNext = async (): Promise<void> => {
    for (const { job_id, attempt } of queue) {
      await storage.deleteBelow(attemptFolder(job_id, attempt))
      await db.pool.query(FORGET, [job_id, attempt])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, deleteNext))
  return rows.length
}

/** Attempts share no folder, so an abandoned attempt overwrites nothing. */
export const attemptFolder = (jobId: string, attempt: number): string => `${jobId}/${attempt}`
