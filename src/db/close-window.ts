import { setTimeout as wait } from 'node:timers/promises'
import { unavailable } from '../errors/service-error.ts'
import type { Database } from './database.ts'

/** A window's end may be this far ahead of the database's clock: that of its caller is no better. */
const AHEAD_MS = 2_000
/** Most inserts reach the database within this time, so few are refused as late. */
const ON_ITS_WAY_MS = 100
/** No row is written later than this after its timestamp. */
const LATEST_MS = 30_000
const LONGEST_WAIT_MS = 10_000
const [FIRST_POLL_MS, LONGEST_POLL_MS] = [2, 50]

/** Transactions that write a table hold this lock from before they have a row until they end; autovacuum and backups do not. */
const WRITERS = `
  select distinct virtualtransaction || ' ' || coalesce(pid, 0) as writer from pg_locks
  where locktype = 'relation' and mode = 'RowExclusiveLock' and pid is distinct from pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database()) and relation = $1::regclass`

interface Clocked {
  readonly db: Pick<Database, 'pool'>
  now(): Date
}

/** The rows of a window and how inserts into it are stopped. */
interface Closing {
  /** Aborted when nobody waits any more. */
  readonly gone?: AbortSignal | undefined
  /** Told once the window is over: what is then still on its way to the database is to be written with a later time. */
  over?(to: Date): Promise<void>
}

/**
 * Waits until a window of time that ends about now has all of its rows: until its end is over, and what writes the table then has ended.
 * What is read afterwards is what will ever be read of it.
 * @throws UNAVAILABLE where a transaction takes too long
 */
export async function closeWindow(
  { db, now }: Clocked,
  table: 'job' | 'credit_entry' | 'audit_entry' | 'webhook_delivery',
  to: Date | null | undefined,
  { gone, over }: Closing = {},
): Promise<void> {
  if (to == null || !endsAboutNow(to, now())) return
  try {
    const leftMs = to.getTime() + ON_ITS_WAY_MS - now().getTime()
    if (leftMs > 0) await wait(leftMs, undefined, { signal: gone })
    await over?.(to)
    await untilWritten(db, table, gone)
  } catch (error) {
    throw gone?.aborted ? gone.reason : error
  }
}

/** An older window has all of its rows, and one that ends later cannot be complete. */
export const endsAboutNow = (to: Date, now: Date): boolean =>
  to.getTime() >= now.getTime() - LATEST_MS && to.getTime() <= now.getTime() + AHEAD_MS

async function untilWritten({ pool }: Pick<Database, 'pool'>, table: string, gone: AbortSignal | undefined) {
  const writers = async () =>
    new Set((await pool.query<{ writer: string }>(WRITERS, [table])).rows.map((row) => row.writer))
  const until = performance.now() + LONGEST_WAIT_MS
  let left = await writers()
  for (let pollMs = FIRST_POLL_MS; left.size > 0; pollMs = Math.min(2 * pollMs, LONGEST_POLL_MS)) {
    if (performance.now() > until) throw unavailable(`a transaction writes ${table} for long`)
    await wait(pollMs, undefined, { signal: gone })
    const now = await writers()
    left = new Set([...left].filter((writer) => now.has(writer)))
  }
}
