import { longRead } from '../connections/long-read.ts'
import type { Database } from '../database.ts'
import type { PageInput, PageShape } from '../page.ts'

interface Narrowing {
  readonly table: 'credit_entry' | 'audit_entry'
  readonly column: 'kind::text' | 'action'
  readonly values?: readonly string[] | null | undefined
  /** From inclusive, to exclusive. */
  readonly createdAt?:
    | { readonly from?: Date | null | undefined; readonly to?: Date | null | undefined }
    | null
    | undefined
}

// These conditions make PostgreSQL use the index that begins with the account. With an equality it may scan all accounts' ids
// backwards, because it assumes that an account's rows are evenly spread.

export const ofAccount = (parameter: string, table = ''): string => `${table}account_id = any(array[${parameter}])`

export const inAccount = (direction: Direction, table = ''): string => `${table}account_id ${opposite(direction)}`

export const idsOfAccount = (direction: Direction, table = ''): string =>
  `${inAccount(direction, table)}, ${table}id ${direction}`

/** Twice, because PostgreSQL treats a list of one as an equality. */
export const whereOfAccount = (accountId: string) => ({ accountId: { in: [accountId, accountId] } })

export const orderOfAccount = ({ id }: { readonly id: Direction }) => [{ accountId: opposite(id) }, { id }]

/** How many rows a list at the end of an edge has. */
export const NEWEST = 100

/** The newest rows of each account, newest first. Prisma reads a relation by an equality. */
export const newestOfEach = async <Row>(
  accountIds: readonly string[],
  read: (page: NewestPage) => Promise<Row[]>,
): Promise<Map<string, Row[]>> =>
  new Map(await Promise.all(accountIds.map(async (id) => [id, await read(newestPage(id))] as const)))

const newestPage = (accountId: string) => ({
  where: whereOfAccount(accountId),
  orderBy: orderOfAccount({ id: 'desc' }),
  take: NEWEST,
})

type NewestPage = ReturnType<typeof newestPage>

type Direction = 'asc' | 'desc'

const opposite = (direction: Direction): Direction => (direction === 'desc' ? 'asc' : 'desc')

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

const hasWindow = ({ createdAt }: Pick<Narrowing, 'createdAt'>): boolean =>
  createdAt?.from != null || createdAt?.to != null

function conditionsOf({ column, values: names, createdAt }: Narrowing, values: unknown[]): string[] {
  const { from, to } = createdAt ?? {}
  const parameter = (value: unknown) => `$${values.push(value)}`
  return [
    ...(names == null ? [] : [`${column} = any(${parameter(names)})`]),
    ...(from == null ? [] : [`created_at >= ${parameter(from)}`]),
    ...(to == null ? [] : [`created_at < ${parameter(to)}`]),
  ]
}

/**
 * Counts the rows of an account that the narrowing leaves.
 * @param accountId null: of all accounts
 * @param owner whose share of `readPool` it uses
 * @throws RATE_LIMITED if the owner's reads take too long
 */
export async function countRows(
  db: Pick<Database, 'readPool' | 'readShares'>,
  owner: string,
  accountId: string | null,
  narrowing: Narrowing,
): Promise<number> {
  const values: unknown[] = accountId === null ? [] : [accountId]
  const conditions = [accountId === null ? 'true' : ofAccount('$1'), ...conditionsOf(narrowing, values)]
  const text = `select count(*)::float8 as total from ${narrowing.table} where ${conditions.join(' and ')}`
  const { rows } = await longRead<{ total: number }>(db, owner, { text, values })
  return rows[0]!.total
}

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
