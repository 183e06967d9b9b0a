import type { Context } from '../../context/context.ts'
import { closeWindow, endsAboutNow } from '../../db/close-window.ts'
import type { JobsFilter } from './jobs-filter.ts'
import type { JobsOwner } from './jobs-owner.ts'

const RAISE = `
  insert into job_horizon as h (account_id, at) values ($1, $2)
  on conflict (account_id) do update set at = excluded.at where h.at < excluded.at or h.at > clock_timestamp()`

type Windows = Pick<JobsFilter, 'createdAt' | 'completedAt' | 'and' | 'or' | 'not'>

/**
 * Waits until the jobs of a window that ends about now are visible. Later inserts get a later id.
 * @throws UNAVAILABLE if a transaction takes too long
 */
export async function closeJobWindow(
  { db, now }: Pick<Context, 'db' | 'now'>,
  owner: JobsOwner,
  filter: Windows | null | undefined,
  gone?: AbortSignal,
): Promise<void> {
  const ends = endsOf(filter).filter((end) => endsAboutNow(new Date(end), now()))
  if (ends.length === 0) return
  const to = new Date(Math.max(...ends))
  await closeWindow({ db, now }, 'job', to, {
    gone,
    over: async (at) => void (await db.pool.query(RAISE, [owner ?? '*', at])),
  })
}

const endsOf = (filter: Windows | null | undefined): number[] =>
  filter == null
    ? []
    : [
        ...[filter.createdAt?.to, filter.completedAt?.to].flatMap((to) => (to ? [to.getTime()] : [])),
        ...[...(filter.and ?? []), ...(filter.or ?? []), filter.not].flatMap(endsOf),
      ]
