import { longRead } from '../connections/long-read.ts'
import type { Database } from '../database.ts'
import type { PageInput, PageShape } from '../page.ts'
import { idsOfAccount, ofAccount } from './own-rows.ts'

export interface Narrowing {
  readonly table: 'credit_entry' | 'audit_entry'
  readonly column: 'kind::text' | 'action'
  readonly values?: readonly string[] | null | undefined
  /** From inclusive, to exclusive. */
  readonly createdAt?:
    | { readonly from?: Date | null | undefined; readonly to?: Date | null | undefined }
    | null
    | undefined
}

/**
 * Ids of a page of an account's rows; null if nothing narrows the list.
 * @throws RATE_LIMITED if the account's reads take too long
 */
export async function ownIds(
  db: Pick<Database, 'readPool' | 'readShares'>,
  accountId: string,
  narrowing: Narrowing,
  input: PageInput,
  { size, backwards }: PageShape,
): Promise<bigint[] | null> {
  if (narrowing.values == null && !hasWindow(narrowing)) return null
  const values: unknown[] = [accountId]
  const { after, before } = input
  const conditions = [
    ofAccount('$1'),
    ...(after == null ? [] : [`id < $${values.push(after)}`]),
    ...(before == null ? [] : [`id > $${values.push(before)}`]),
    ...conditionsOf(narrowing, values),
  ]
  const text = `select id from ${narrowing.table} where ${conditions.join(' and ')}
    order by ${idsOfAccount(backwards ? 'asc' : 'desc')} limit ${size + 1}`
  const { rows } = await longRead<{ id: string }>(db, accountId, { text, values })
  return rows.map(({ id }) => BigInt(id))
}

export const hasWindow = ({ createdAt }: Pick<Narrowing, 'createdAt'>): boolean =>
  createdAt?.from != null || createdAt?.to != null

export function conditionsOf({ column, values: names, createdAt }: Narrowing, values: unknown[]): string[] {
  const { from, to } = createdAt ?? {}
  const parameter = (value: unknown) => `$${values.push(value)}`
  return [
    ...(names == null ? [] : [`${column} = any(${parameter(names)})`]),
    ...(from == null ? [] : [`created_at >= ${parameter(from)}`]),
    ...(to == null ? [] : [`created_at < ${parameter(to)}`]),
  ]
}
