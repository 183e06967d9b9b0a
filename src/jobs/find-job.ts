import type { Tx } from '../db/database.ts'
import { isId } from '../values/id.ts'
import { JOB_COLUMNS, JOB_TABLES, type Job } from './job-shape.ts'

const FIND = findWith('')

/**
 * A job with its outputs, in one statement; null without one. In SQL: clients poll by it, and Prisma Client takes 6.6 times the processor
 * time, without the key's name, which has no foreign key to follow.
 * @param accountId whose job it has to be; null: whichever account's
 */
export async function findJob(db: Pick<Tx, 'query'>, jobId: string, accountId: string | null): Promise<Job | null> {
  if (!isId('job', jobId)) return null
  const { rows } = await db.query<Job>(
    accountId === null
      ? { name: 'any_job', text: FIND, values: [jobId] }
      : { name: 'job', text: `${FIND} and j.account_id = $2`, values: [jobId, accountId] },
  )
  return rows[0] ?? null
}

/** What is read with a job: SQL over `j`, the job. */
interface More {
  readonly name: string
  readonly columns: string
}

/** Any job with its outputs, and what else is read with it in one way to the database. */
export async function findJobWith<Extra extends object>(
  db: Pick<Tx, 'query'>,
  jobId: string,
  { name, columns }: More,
): Promise<(Job & Extra) | null> {
  const { rows } = await db.query<Job & Extra>({ name, text: findWith(`, ${columns}`), values: [jobId] })
  return rows[0] ?? null
}

/** The same of many, in any order. */
export async function findJobsWith<Extra extends object>(
  db: Pick<Tx, 'query'>,
  jobIds: readonly string[],
  { name, columns }: More,
): Promise<(Job & Extra)[]> {
  const text = findWith(`, ${columns}`, 'any($1::text[])')
  const { rows } = await db.query<Job & Extra>({ name, text, values: [jobIds] })
  return rows
}

function findWith(more: string, ids = '$1'): string {
  return `select ${JOB_COLUMNS}${more} from ${JOB_TABLES} where j.id = ${ids}`
}
