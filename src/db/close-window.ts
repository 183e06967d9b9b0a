import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { unavailable } from '../errors/service-error.ts'
import type { Database } from './database.ts'

const AHEAD_MS = 2_000
const ON_ITS_WAY_MS = 100
const LATEST_MS = 30_000
const LONGEST_WAIT_MS = 10_000
const [FIRST_POLL_MS, LONGEST_POLL_MS] = [2, 50]

/** A transaction that writes a table holds this lock mode until its end; autovacuum and backups do not. */
const WRITERS = `
  select distinct virtualtransaction || ' ' || coalesce(pid, 0) as writer from pg_locks
  where locktype = 'relation' and mode = 'RowExclusiveLock' and pid is distinct from pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
    and (relation = $1::regclass or relation in (select inhrelid from pg_inherits where inhparent = $1::regclass))`

interface Clocked {
  readonly db: Pick<Database, 'pool' | 'closeFirst'>
  now(): Date
}

interface Closing {
  readonly gone?: AbortSignal | undefined
  /** The account whose rows `over` delays; absent: none. */
  readonly owner?: string
  /** Runs once the window is over, so that inserts still on their way get a later time. */
  over?(to: Date, pool: Pool): Promise<void>
}

/**
 * Waits until a window that ends about now has all its rows. Later reads of the window find the same rows.
 * @throws UNAVAILABLE if a transaction takes too long
 */
export async function closeWindow(
  { db, now }: Clocked,
  table: 'job' | 'credit_entry' | 'audit_entry' | 'webhook_delivery',
  to: Date | null | undefined,
  { gone, owner = '', over }: Closing = {},
): Promise<void> {
  if (to == null || !endsAboutNow(to, now())) return
  const close = async (pool: Pool): Promise<void> => {
    const leftMs = to.getTime() + ON_ITS_WAY_MS - now().getTime()
    if (leftMs > 0) await wait(leftMs, undefined, { signal: gone })
    await over?.(to, pool)
    if (!(await writersEnd({ pool }, table, { mostMs: LONGEST_WAIT_MS, gone })))
      throw unavailable(`a transaction writes ${table} for long`)
  }
  try {
    await (db.closeFirst?.(`${table} ${to.getTime()} ${owner}`, close) ?? close(db.pool))
  } catch (error) {
    throw gone?.aborted ? gone.reason : error
  }
}

export const endsAboutNow = (to: Date, now: Date): boolean =>
  to.getTime() >= now.getTime() - LATEST_MS && to.getTime() <= now.getTime() + AHEAD_MS

interface WriterWait {
  readonly mostMs: number
  readonly gone?: AbortSignal | undefined
}

/** Waits until the transactions have ended that write a table now. Returns false if one takes longer. */
export async function writersEnd(
  { pool }: Pick<Database, 'pool'>,
  table: string,
  { mostMs, gone }: WriterWait,
): Promise<boolean> {
  const writers = async () =>
    new Set((await pool.query<{ writer: string }>(WRITERS, [table])).rows.map((row) => row.writer))
  const until = performance.now() + mostMs
  let left = await writers()
  for (let pollMs = FIRST_POLL_MS; left.size > 0; pollMs = Math.min(2 * pollMs, LONGEST_POLL_MS)) {
    if (performance.now() > until) return false
    await wait(pollMs, undefined, { signal: gone })
    const now = await writers()
    left = new Set([...left].filter((writer) => now.has(writer)))
  }
  return true
}
