import type { Parts } from '../../context/context.ts'

const KEEP = `update heard_attempt set completed_at = now()
  where job_id = $1 and attempt = $2 and completed_at < now() - interval '1 minute'`

/**
 * Notes that a listener still reads the parts of an attempt: the time after which they are deleted begins anew. Nothing is written before
 * the job is completed, and once a minute then.
 */
export async function keepHeardParts({ db }: Pick<Parts, 'db'>, jobId: string, attempt: number): Promise<void> {
  await db.pool.query({ name: 'keep_heard_parts', text: KEEP, values: [jobId, attempt] })
}
