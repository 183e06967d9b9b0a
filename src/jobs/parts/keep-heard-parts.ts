import type { Parts } from '../../context/context.ts'

const KEEP = `update heard_attempt set completed_at = now()
  where job_id = $1 and attempt = $2 and completed_at < now() - interval '1 minute'`

/** Postpones the deletion of parts that a listener reads, at most once a minute. */
export async function keepHeardParts({ db }: Pick<Parts, 'db'>, jobId: string, attempt: number): Promise<void> {
  await db.pool.query({ name: 'keep_heard_parts', text: KEEP, values: [jobId, attempt] })
}
