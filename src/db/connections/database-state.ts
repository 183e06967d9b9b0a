import type { Pool } from 'pg'
import { inTime } from '../../concurrency/in-time.ts'
import type { Database } from '../database.ts'
import { asksReadOnly } from './servers.ts'

const ANSWER_TIMEOUT_MS = 2_000
const READ_ONLY = '25006'

const RELATIONS = `
  select case when schemaname = current_schema() then coalesce(pg_partition_root(relid)::regclass, relid)::regclass::text
      else schemaname || '.' || relname end as relation,
    sum(pg_total_relation_size(relid))::float8 as bytes, sum(n_dead_tup)::float8 as "deadTuples"
  from pg_stat_user_tables where schemaname = any (array[current_schema()::text, $1]) group by 1 order by 1`
const OLDEST = `
  select coalesce(extract(epoch from now() - min(xact_start)), 0)::float8 as seconds
  from pg_stat_activity where xact_start is not null and datname = current_database() and backend_type = 'client backend'`
const STANDBYS = `
  select coalesce(nullif(application_name, ''), 'unnamed') as standby,
    max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::float8 as "lagBytes"
  from pg_stat_replication where replay_lsn is not null group by 1`

/** `read-only`: it refuses writes. `away`: no answer within 2 s, or an error. */
type DatabaseState = 'ok' | 'read-only' | 'away'

/** Sizes in bytes, ages in seconds. */
interface DatabaseCondition {
  readonly relations: readonly { readonly relation: string; readonly bytes: number; readonly deadTuples: number }[]
  readonly oldestTransactionSeconds: number
  readonly standbys: readonly { readonly standby: string; readonly lagBytes: number }[]
}

/** Never throws. */
export function databaseState({ pool }: Pick<Database, 'pool'>): Promise<DatabaseState> {
  const answer = asksReadOnly(pool)
    .then((isReadOnly) => (isReadOnly ? 'read-only' : 'ok'))
    .catch(stateOf)
  return inTime(ANSWER_TIMEOUT_MS, answer, () => 'away')
}

const stateOf = (error: unknown): DatabaseState =>
  (error as { code?: unknown } | null)?.code === READ_ONLY ? 'read-only' : 'away'

export async function databaseCondition(db: Pick<Pool, 'query'>, queueSchema: string): Promise<DatabaseCondition> {
  const relations = await db.query<DatabaseCondition['relations'][number]>(RELATIONS, [queueSchema])
  const oldest = await db.query<{ seconds: number }>(OLDEST)
  const standbys = await db.query<DatabaseCondition['standbys'][number]>(STANDBYS)
  return {
    relations: relations.rows,
    oldestTransactionSeconds: oldest.rows[0]?.seconds ?? 0,
    standbys: standbys.rows,
  }
}
