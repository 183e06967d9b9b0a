import type { Tx } from '../db/database.ts'
import { isId } from '../values/id.ts'
import { JOB_COLUMNS, JOB_TABLES, type Job } from './job-shape.ts'

const FIND = findWith('')

/**
 * A job with its outputs.
 * @param accountId null: any account
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

interface More {
  readonly name: string
  readonly columns: string
}

export async function findJobWith<Extra extends object>(
  db: Pick<Tx, 'query'>,
  jobId: string,
  { name, columns }: More,
): Promise<(Job & Extra) | null> {
  const { rows } = await db.query<Job & Extra>({ name, text: findWith(`, ${columns}`), values: [jobId] })
  return rows[0] ?? null
}

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
