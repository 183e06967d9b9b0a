import { longRead } from '../connections/long-read.ts'
import type { Database } from '../database.ts'
import type { PageInput, PageShape } from '../page.ts'
import { conditionsOf, hasWindow, type Narrowing } from './own-ids.ts'

/**
 * The ids of a page of the rows of all accounts in a window of time, newest first, or from the end; null where there is no window. They are found by the index
 * of times, and put in order after that: the planner would read the primary key backwards through all that came after the window, since it takes the
 * window's rows for evenly spread. The `offset 0` keeps the order from it.
 * @param owner whose share of the reading connections it takes
 * @throws RATE_LIMITED where the owner's own reads take too long
 */
export async function idsOfWindow(
  db: Pick<Database, 'readPool' | 'readShares'>,
  owner: string,
  narrowing: Narrowing,
  input: PageInput,
  { size, backwards }: PageShape,
  toNumber: (cursor: string) => bigint,
): Promise<bigint[] | null> {
  if (!hasWindow(narrowing)) return null
  const values: unknown[] = []
  const conditions = conditionsOf(narrowing, input, values, toNumber)
  const text = `select id from (select id from ${narrowing.table} where ${conditions.join(' and ')} offset 0) found
    order by id ${backwards ? 'asc' : 'desc'} limit ${size + 1}`
  const { rows } = await longRead<{ id: string }>(db, owner, { text, values })
  return rows.map(({ id }) => BigInt(id))
}
