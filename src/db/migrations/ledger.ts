import { createHash, randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { errorCode } from '../../values/data-directory.ts'

const UNDEFINED_TABLE = '42P01'

/** One file of prisma/migrations. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

/** A row of Prisma's `_prisma_migrations`, as far as it decides what is to be done. */
export interface LedgerRow {
  readonly name: string
  /** Of the file that was applied: SHA-256 in hex. */
  readonly checksum: string
  readonly state: 'applied' | 'failed' | 'rolled back'
}

/** What can run one statement: a pool, or a connection. */
export type Queryable = Pick<ClientBase, 'query'>

const READ = `
  select migration_name as name, checksum,
    case when rolled_back_at is not null then 'rolled back' when finished_at is null then 'failed' else 'applied' end as state
  from _prisma_migrations order by started_at`

/** Null where there is no ledger yet. */
export async function readLedger(db: Queryable): Promise<LedgerRow[] | null> {
  try {
    return (await db.query<LedgerRow>(READ)).rows
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return null
    throw error
  }
}

/** As Prisma makes it: its own commands go on with this table. */
export async function createLedger(db: Queryable): Promise<void> {
  await db.query(`create table _prisma_migrations (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`)
}

/** Returns the id of the row, which counts as failed unless it is finished. */
export async function recordStart(db: Queryable, { name, sql }: Migration): Promise<string> {
  const id = randomUUID()
  await db.query('insert into _prisma_migrations (id, checksum, migration_name) values ($1, $2, $3)', [
    id,
    checksumOf(sql),
    name,
  ])
  return id
}

/** Notes that a migration was applied whole. */
export async function recordFinish(db: Queryable, id: string): Promise<void> {
  await db.query(
    'update _prisma_migrations set applied_steps_count = 1, finished_at = clock_timestamp() where id = $1',
    [id],
  )
}

/** @param logs what an operator reads there: the database's own words */
export async function recordFailure(db: Queryable, id: string, logs: string): Promise<void> {
  await db.query('update _prisma_migrations set logs = $2 where id = $1', [id, logs])
}

/** Prisma's: SHA-256 of the file. */
export const checksumOf = (sql: string): string => createHash('sha256').update(sql).digest('hex')
