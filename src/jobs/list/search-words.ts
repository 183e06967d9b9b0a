import { ownerOf } from '../../access/actor.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { firstIdAt } from '../../values/id.ts'
import { type JobsFilter, type JobsOwner, namesIn } from './jobs-filter.ts'

/** PostgreSQL reads each text. No index serves words of all languages without making each submission slower. */
export const MAX_SEARCHED_JOBS = 20_000

const OLDEST = `select created_at as oldest from job where ${ofAccount('$1')} and id < $2
  order by ${idsOfAccount('desc')} offset $3 limit 1`

/**
 * Limits a search by words to the newest jobs of the filter's time; other filters stay as they are.
 * @throws INVALID_REQUEST if the jobs are not those of the caller's own account, RATE_LIMITED
 */
export async function boundSearch(
  { actor, db, now }: Pick<Context, 'actor' | 'db' | 'now'>,
  owner: JobsOwner,
  filter: JobsFilter,
): Promise<JobsFilter> {
  if (!namesIn(filter).has('words')) return filter
  if (owner === null || owner !== ownerOf(actor))
    throw invalidRequest("Search by words among your own account's jobs.", [
      { path: '/filter/words', message: "finds jobs of the caller's own account only" },
    ])
  const { from, to } = filter.createdAt ?? {}
  const before = firstIdAt('job', to ?? new Date(now().getTime() + 1))
  const statement = { name: 'oldest_searched', text: OLDEST, values: [owner, before, MAX_SEARCHED_JOBS - 1] }
  const { rows } = await longRead<{ oldest: Date }>(db, owner, statement)
  const oldest = rows[0]?.oldest
  if (oldest === undefined || (from && from > oldest)) return filter
  return { ...filter, createdAt: { ...filter.createdAt, from: oldest } }
}

/** @throws INVALID_REQUEST if the filter searches by words */
export function refuseWords(filter: JobsFilter, hint: string, path = '/filter'): void {
  if (!namesIn(filter).has('words')) return
  throw invalidRequest(hint, [{ path: `${path}/words`, message: 'is for lists, their counts and exports' }])
}
