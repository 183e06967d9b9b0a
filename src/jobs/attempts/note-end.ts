import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { type AttemptEnding, notingEnds } from '../../queue/attempt-endings.ts'

/** Why an attempt ended and its job did not. */
export interface AttemptEnd {
  readonly ending: AttemptEnding
  /** What really ended it; for the operator only. */
  readonly cause: string
}

/** The attempt that a worker has, and which worker that is. */
interface WorkersAttempt {
  readonly jobId: string
  readonly attempt: number
  readonly workerId: string
}

/** The parameters of `NOTED`: the first two name the attempt. */
export const endValues = ({ jobId, attempt, workerId }: WorkersAttempt, { ending, cause }: AttemptEnd): unknown[] => [
  jobId,
  attempt,
  ending,
  workerId,
  cause,
]

/** What is noted of them. */
export const NOTED = { ending: '$3::text', worker: '$4::text', cause: '$5::text' }

const NOTE = `
  with ended as materialized (
    select id, attempt, started_at from job where id = $1 and attempt = $2 and status = 'processing' for no key update
  ) ${notingEnds('ended', NOTED)}`

/**
 * Notes how an attempt ended whose job is delivered again, unless that was noted. Returns whether it was written: the claim may be no longer
 * this worker's, or the job has ended.
 */
export async function noteEnd({ db }: Pick<Parts, 'db'>, attempt: WorkersAttempt, end: AttemptEnd): Promise<boolean> {
  const { rowCount } = await db.pool.query({ name: 'note_end', text: NOTE, values: endValues(attempt, end) })
  return rowCount === 1
}

const LOST_PLACES = `
  with ended as materialized (
    select id, attempt, started_at from job where id = any($1) and attempt > 0 and status = 'processing' for no key update skip locked
  ) ${notingEnds('ended', { ending: `'place_lost'`, worker: 'null' })}`

/** Notes that the queue had lost these jobs, in the transaction that queues them again. */
export async function noteLostPlaces(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await tx.query(LOST_PLACES, [jobIds])
}

const WORKER = 'update job_attempt set worker = $3 where job_id = $1 and attempt = $2 and worker is null'

/** Notes which worker has an attempt that follows another one; of a first attempt the queue knows it while it runs. */
export async function noteWorker(
  { db }: Pick<Parts, 'db'>,
  { jobId, attempt, workerId }: WorkersAttempt,
): Promise<void> {
  await db.pool.query({ name: 'note_worker', text: WORKER, values: [jobId, attempt, workerId] })
}
