import { type ClientBase, escapeIdentifier } from 'pg'
import { briefly, lockTogether } from './briefly.ts'
import { PARTITIONED, type Partition } from './partitions.ts'

const FEW_ROWS = 1_000

/** Old partitions that may be empty, by range of ids. The ledger stays. */
export function emptied(partitions: readonly Partition[], before: string): Partition[][] {
  const ended = partitions.filter(({ table, until }) => table !== 'credit_entry' && until !== null && until <= before)
  return [...Map.groupBy(ended, ({ until }) => until).values()].filter((range) =>
    range.every(({ rows }) => rows < FEW_ROWS),
  )
}

/**
 * @returns whether they are gone
 * @throws an error that `isHeldUp` recognises
 */
export async function dropIfEmpty(client: ClientBase, range: readonly Partition[]): Promise<boolean> {
  const names = range.map(({ name }) => escapeIdentifier(name))
  if (!(await areEmpty(client, names))) return false
  // The final check under lock then scans no dead rows.
  for (const name of names) await client.query(`vacuum (truncate) ${name}`)
  const tables = PARTITIONED.map(({ table }) => `only ${table}`)
  await briefly(client, [
    ...lockTogether([...tables, ...names, 'account']),
    `do $$ begin if not (${anyRow(names)}) then drop table ${names.join(', ')}; end if; end $$`,
  ])
  const { rows } = await client.query<{ gone: boolean }>('select to_regclass($1) is null as gone', [names[0]])
  return rows[0]?.gone === true
}

const anyRow = (names: readonly string[]): string => names.map((name) => `exists (select from ${name})`).join(' or ')

async function areEmpty(client: ClientBase, names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(`select ${anyRow(names)} as there`)
  return rows[0]?.there === false
}
