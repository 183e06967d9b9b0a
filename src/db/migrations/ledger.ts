import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { errorCode } from '../../values/data-directory.ts'
import type { Migration } from './migration-files.ts'
import { adoptRows } from './whole-schema.ts'

const UNDEFINED_TABLE = '42P01'
const UNDER_WAY = 'under way: '
export const REPAIR =
  'repair the schema, then set finished_at (the migration is complete) or rolled_back_at (run it again) in its row of _prisma_migrations'

export interface LedgerRow {
  readonly id: string
  readonly name: string
  /** Null: the file that was applied is no more. */
  readonly checksum: string | null
  /** `under way`: interrupted between two steps. */
  readonly state: 'applied' | 'under way' | 'failed' | 'rolled back'
  readonly steps: number
  readonly logs: string | null
}

export type Queryable = Pick<ClientBase, 'query'>

export interface Progress {
  readonly steps: number
  readonly cursor: string | null
  readonly rows: number
}

const READ = `
  select id, migration_name as name, checksum, logs, case when finished_at is null then applied_steps_count else 0 end as steps,
    case when rolled_back_at is not null then 'rolled back' when finished_at is not null then 'applied'
      when logs like '${UNDER_WAY}%' then 'under way' else 'failed' end as state
  from _prisma_migrations order by started_at`

/** @throws ServiceError UNAVAILABLE if the schema is older than the whole one */
export async function readLedger(db: Queryable): Promise<LedgerRow[] | null> {
  try {
    return adoptRows((await db.query<LedgerRow>(READ)).rows)
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return null
    throw error
  }
}

/** Same table as Prisma's, whose commands continue to work. */
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

/**
 * Returns the row's id.
 * @param progress the start of a migration with several steps; without it an unfinished row counts as failed
 */
export async function recordStart(
  db: Queryable,
  { name, checksum, steps }: Migration,
  progress?: Progress,
): Promise<string> {
  const id = randomUUID()
  await db.query(
    'insert into _prisma_migrations (id, checksum, migration_name, applied_steps_count, logs) values ($1, $2, $3, $4, $5)',
    [id, checksum, name, progress?.steps ?? 0, progress === undefined ? null : wordsOf(progress, steps.length)],
  )
  return id
}

export async function recordProgress(db: Queryable, id: string, progress: Progress, of: number): Promise<void> {
  await db.query('update _prisma_migrations set applied_steps_count = $2, logs = $3 where id = $1', [
    id,
    progress.steps,
    wordsOf(progress, of),
  ])
}

function wordsOf({ steps, cursor, rows }: Progress, of: number): string {
  const pages = cursor === null ? '' : `, ${rows} rows, after ${JSON.stringify(cursor)}`
  return `${UNDER_WAY}step ${steps + 1} of ${of}${pages}`
}

export function progressOf({ steps, logs, state }: LedgerRow): Progress {
  const paged = state === 'under way' ? /, (\d+) rows, after (".*")$/s.exec(logs ?? '') : null
  if (paged === null) return { steps, cursor: null, rows: 0 }
  return { steps, cursor: JSON.parse(paged[2] as string) as string, rows: Number(paged[1]) }
}

export async function recordFinish(db: Queryable, id: string): Promise<void> {
  await db.query(
    'update _prisma_migrations set applied_steps_count = 1, finished_at = clock_timestamp(), logs = null where id = $1',
    [id],
  )
}

export async function recordFailure(db: Queryable, id: string, logs: string): Promise<void> {
  await db.query('update _prisma_migrations set logs = $2 where id = $1', [id, logs])
}
