import { writersEnd } from '../../db/close-window.ts'
import type { Database } from '../../db/database.ts'
import type { Snapshot } from '../../db/snapshot.ts'
import { unavailable } from '../../errors/service-error.ts'
import { exactTime } from './job-cells.ts'

const LONGEST_WAIT_MS = 3_000
/** When a job last changed; jobs from before the column have ended, started or were accepted then. An index has this expression. */
export const CHANGED_AT = 'coalesce(changed_at, completed_at, started_at, created_at)'

/** Also after all changes that are visible: the clock may have been set back since. */
const OPEN = `
  insert into feed_horizon as h (feed, opened) values ('job', greatest(clock_timestamp(),
    (select ${CHANGED_AT} from job where account_id = $1 order by ${CHANGED_AT} desc limit 1),
    (select deleted_at from deleted_job where account_id = $1 order by deleted_at desc limit 1)))
  on conflict (feed) do update set opened = greatest(excluded.opened, h.opened + interval '1 microsecond')
  returning opened::text`
const OPEN_KNOWN = `
  update feed_horizon set opened = greatest(clock_timestamp(), opened + interval '1 microsecond')
  where feed = 'job' and settled is not null returning opened::text`
/** The first time that is not settled. */
const BEFORE = exactTime(`(settled + interval '1 microsecond')`)
const SETTLE = `
  update feed_horizon set settled = greatest(settled, $1::timestamptz) where feed = 'job' returning ${BEFORE} as before`
const SETTLED = `select ${BEFORE} as before from feed_horizon where feed = 'job'`
const KEPT_FROM = `select ${exactTime('kept_from')} as "keptFrom" from feed_horizon where feed = 'job'`

/**
 * Returns the time up to which no change of a job is missing and none will come, in microseconds.
 *
 * It raises the time that writers get, then waits for the transactions that may still write an earlier one. If one of them stays
 * open, the time that was settled before stands.
 * @throws UNAVAILABLE if a transaction stays open and nothing was settled before; the reason of `gone`
 */
export async function settleChanges(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
  gone?: AbortSignal,
): Promise<string> {
  const { rows } = await pool.query<{ opened: string }>(OPEN, [accountId])
  const before = await settle(pool, rows[0]?.opened as string, gone)
  if (before === null) throw unavailable('a transaction writes jobs for long')
  return before
}

/** Settles what has changed until now if somebody reads the changes, so that a long transaction holds up only what came after it. */
export async function settleKnownChanges({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ opened: string }>(OPEN_KNOWN)
  if (rows[0] !== undefined) await settle(pool, rows[0].opened)
}

async function settle(pool: Database['pool'], opened: string, gone?: AbortSignal): Promise<string | null> {
  const isWritten = await writersEnd({ pool }, 'job', { mostMs: LONGEST_WAIT_MS, gone })
  const { rows } = await (isWritten
    ? pool.query<{ before: string | null }>(SETTLE, [opened])
    : pool.query<{ before: string | null }>(SETTLED))
  return rows[0]?.before ?? null
}

/** Earlier deletions are forgotten; null if none is. */
export async function deletionsKeptFrom(snapshot: Snapshot): Promise<string | null> {
  const [row] = await snapshot.query<{ keptFrom: string | null }>(KEPT_FROM)
  return row?.keptFrom ?? null
}
