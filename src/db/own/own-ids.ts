import { longRead } from '../connections/long-read.ts'
import type { Database } from '../database.ts'
import type { PageInput, PageShape } from '../page.ts'
import { idsOfAccount, ofAccount } from './own-rows.ts'

/** What a list of an account's rows is narrowed to, besides a page. */
interface Narrowing {
  readonly table: 'credit_entry' | 'audit_entry'
  readonly column: 'kind::text' | 'action'
  /** Any of these; absent: all. */
  readonly values?: readonly string[] | null | undefined
  /** From inclusive, to exclusive. */
  readonly createdAt?:
    | { readonly from?: Date | null | undefined; readonly to?: Date | null | undefined }
    | null
    | undefined
}

/**
 * The ids of a page of an account's rows, newest first, or from the end: where no index leads to what is looked for it may take long, so it
 * is the account's own share of the reading connections that it takes. Null where nothing is narrowed.
 * @throws RATE_LIMITED where the account's own reads take too long
 */
export async function ownIds(
  db: Pick<Database, 'readPool' | 'readShares'>,
  accountId: string,
  { table, column, values: names, createdAt }: Narrowing,
  { after, before }: PageInput,
  { size, backwards }: PageShape,
  toNumber: (cursor: string) => bigint,
): Promise<bigint[] | null> {
  const { from, to } = createdAt ?? {}
  if (names == null && from == null && to == null) return null
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    ofAccount('$1'),
    ...(after == null ? [] : [`id < ${parameter(toNumber(after))}`]),
    ...(before == null ? [] : [`id > ${parameter(toNumber(before))}`]),
    ...(names == null ? [] : [`${column} = any(${parameter(names)})`]),
    ...(from == null ? [] : [`created_at >= ${parameter(from)}`]),
    ...(to == null ? [] : [`created_at < ${parameter(to)}`]),
  ]
  const text = `select id from ${table} where ${conditions.join(' and ')}
    order by ${idsOfAccount(backwards ? 'asc' : 'desc')} limit ${size + 1}`
  const { rows } = await longRead<{ id: string }>(db, accountId, { text, values })
  return rows.map(({ id }) => BigInt(id))
}
