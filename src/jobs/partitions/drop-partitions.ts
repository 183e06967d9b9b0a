import { type ClientBase, escapeIdentifier } from 'pg'
import { briefly, lockTogether } from './briefly.ts'
import { PARTITIONED, type Partition } from './partitions.ts'

/** A partition of more rows, as autovacuum has counted them, is not looked into: what was deleted already would be walked over. */
const FEW_ROWS = 1_000

/**
 * Partitions of one range of ids each that may be empty: all of their jobs are older than the one of this id, before which nothing is kept
 * but what has to stay. Those of jobs and artifacts go together, as a job that stays may still get artifacts; the ledger is kept for ever.
 */
export function emptied(partitions: readonly Partition[], before: string): Partition[][] {
  const ended = partitions.filter(({ table, until }) => table !== 'credit_entry' && until !== null && until <= before)
  return [...Map.groupBy(ended, ({ until }) => until).values()].filter((range) =>
    range.every(({ rows }) => rows < FEW_ROWS),
  )
}

/**
 * Drops the partitions of a range where all of them are empty, which gives their disk back at once; else they stay as they are. Returns
 * whether they are gone.
 * @throws what `isHeldUp` knows, where another transaction holds their tables
 */
export async function dropIfEmpty(client: ClientBase, range: readonly Partition[]): Promise<boolean> {
  const names = range.map(({ name }) => escapeIdentifier(name))
  if (!(await areEmpty(client, names))) return false
  // So that the last look, behind the lock, has no dead rows to walk over.
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
