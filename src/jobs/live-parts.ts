import type { Parts } from '../context/context.ts'
import type { Claim } from './lifecycle/claim-job.ts'
import { notifyJob } from './live/notify-job.ts'

const KEEP = `update heard_attempt set completed_at = now()
  where job_id = $1 and attempt = $2 and completed_at < now() - interval '1 minute'`

/** Listeners that take nothing for a minute are disconnected earlier. */
export const GRACE_MS = 600_000
const PAGE_ROWS = 1000

const HEARD = `select job_id, attempt from heard_attempt where completed_at <= now() - $1 * interval '1 millisecond'
  order by completed_at limit ${PAGE_ROWS}`

const partsFolder = (jobId: string, attempt: number): string => `${jobId}/${attempt}/live`

/** A WAV file; parts count from 0. */
export const partKey = (jobId: string, attempt: number, index: number): string =>
  `${partsFolder(jobId, attempt)}/${index}.wav`

/** JSON, for parts of a text that comes while it is spoken. */
export const partTimingKey = (jobId: string, attempt: number, index: number): string =>
  `${partsFolder(jobId, attempt)}/${index}.json`

/** Times of a part in milliseconds from its beginning; offsets in UTF-16 units of the submitted text. */
export interface PartTiming {
  readonly words: readonly {
    readonly start: number
    readonly end: number
    readonly from: number
    readonly to: number
  }[]
  /** End of the text that is spoken with this part. */
  readonly textEnd: number
  readonly samples: number
}

/** Writes nothing if the claim is lost or the job has ended. */
export async function recordPart(
  parts: Pick<Parts, 'db' | 'notifier'>,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  partsDone: number,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query({
    name: 'record_part',
    text: `update job set parts_done = $3 where id = $1 and attempt = $2 and status = 'processing'`,
    values: [claim.jobId, claim.attempt, partsDone],
  })
  if (rowCount === 1) notifyJob(parts, claim)
}

/** Postpones the deletion of parts that a listener reads, at most once a minute. */
export async function keepLiveParts({ db }: Pick<Parts, 'db'>, jobId: string, attempt: number): Promise<void> {
  await db.pool.query({ name: 'keep_heard_parts', text: KEEP, values: [jobId, attempt] })
}

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
    await db.prisma.heardAttempt.deleteMany({ where: { jobId: job_id, attempt } })
  }
  return rows.length
}
