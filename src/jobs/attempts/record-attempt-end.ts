import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { type AttemptEnding, notingEnds } from '../../queue/stopping.ts'

export interface AttemptEnd {
  readonly ending: AttemptEnding
  /** For the operator only. */
  readonly cause: string
}

interface WorkersAttempt {
  readonly jobId: string
  readonly attempt: number
  readonly workerId: string
}

export const endValues = ({ jobId, attempt, workerId }: WorkersAttempt, { ending, cause }: AttemptEnd): unknown[] => [
  jobId,
  attempt,
  ending,
  workerId,
  cause,
]

export const NOTED = { ending: '$3::text', worker: '$4::text', cause: '$5::text' }

const NOTE = `
  with ended as materialized (
    select id, attempt, started_at from job where id = $1 and attempt = $2 and status = 'processing' for no key update
  ) ${notingEnds('ended', NOTED)}`

/**
 * Records how an attempt ended if its job is delivered again.
 * @returns false if the claim is lost or the end is recorded already
 */
export async function recordAttemptEnd(
  { db }: Pick<Parts, 'db'>,
  attempt: WorkersAttempt,
  end: AttemptEnd,
): Promise<boolean> {
  const { rowCount } = await db.pool.query({ name: 'note_end', text: NOTE, values: endValues(attempt, end) })
  return rowCount === 1
}

const ENDINGS = 'select count(*)::integer as count from job_attempt where job_id = $1 and ending = $2'

/** Returns 0 if the database does not answer. */
export async function countEndings({ db }: Pick<Parts, 'db'>, jobId: string, ending: AttemptEnding): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(ENDINGS, [jobId, ending]).catch(() => ({ rows: [] }))
  return rows[0]?.count ?? 0
}

const LOST_PLACES = `
  with ended as materialized (
    select id, attempt, started_at from job where id = any($1) and attempt > 0 and status = 'processing' for no key update skip locked
  ) ${notingEnds('ended', { ending: `'place_lost'`, worker: 'null' })}`

export async function noteLostPlaces(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await tx.query(LOST_PLACES, [jobIds])
}

const WORKER = 'update job_attempt set worker = $3 where job_id = $1 and attempt = $2 and worker is null'

export async function noteWorker(
  { db }: Pick<Parts, 'db'>,
  { jobId, attempt, workerId }: WorkersAttempt,
): Promise<void> {
  await db.pool.query({ name: 'note_worker', text: WORKER, values: [jobId, attempt, workerId] })
}
