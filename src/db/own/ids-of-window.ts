import { longRead } from '../connections/long-read.ts'
import type { Database } from '../database.ts'
import type { PageInput, PageShape } from '../page.ts'
import { conditionsOf, hasWindow, type Narrowing } from './own-ids.ts'

/**
 * Ids of a page of all accounts' rows in a time window; null without a window. The time index serves the page.
 * @param owner whose share of `readPool` it uses
 * @throws RATE_LIMITED if the owner's reads take too long
 */
export async function idsOfWindow(
  db: Pick<Database, 'readPool' | 'readShares'>,
  owner: string,
  narrowing: Narrowing,
  { after, before }: PageInput,
  { size, backwards }: PageShape,
): Promise<bigint[] | null> {
  if (!hasWindow(narrowing)) return null
  const { table } = narrowing
  const values: unknown[] = []
  const beyond = (sign: '<' | '>', cursor: string) => {
    const id = `$${values.push(cursor)}`
    return `(created_at, id) ${sign} ((select created_at from ${table} where id = ${id}), ${id})`
  }
  const conditions = [
    ...(after == null ? [] : [beyond('<', after)]),
    ...(before == null ? [] : [beyond('>', before)]),
    ...conditionsOf(narrowing, values),
  ]
  const order = backwards ? 'asc' : 'desc'
  const text = `select id from ${table} where ${conditions.join(' and ')}
    order by created_at ${order}, id ${order} limit ${size + 1}`
  const { rows } = await longRead<{ id: string }>(db, owner, { text, values })
  return rows.map(({ id }) => BigInt(id))
}
