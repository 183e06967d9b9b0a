import type { Tx } from '../db/database.ts'
import type { Queue } from './queue.ts'

const PAGE_ROWS = 1000

export interface QueuedRows {
  readonly table: 'job' | 'webhook_delivery'
  readonly columns: string
  readonly condition: string
}

interface LostRows<Row> {
  readonly rows: readonly Row[]
  /** Absent on the last page. */
  readonly last?: string
}

/** Locks a page of rows that should be in a queue but are not, by id. Rows that another transaction holds are left out. */
export async function lockUnqueued<Row extends { id: string }>(
  tx: Tx,
  queue: Pick<Queue, 'unqueued'>,
  { table, columns, condition }: QueuedRows,
  after = '',
): Promise<LostRows<Row>> {
  const due = `select id from ${table} where ${condition} and id > $1`
  const { rows: some } = await tx.query(`${due} limit 1`, [after])
  if (some.length === 0) return { rows: [] }
  // It reads the whole queue; a role's limit must not stop it.
  await tx.query('set local statement_timeout = 0')
  const lost = async (ids: string, value: unknown): Promise<string[]> => {
    // The limit would plan for a few rows, and usually there are none.
    const text = `with lost as materialized (${queue.unqueued(ids)}) select id from lost order by id limit ${PAGE_ROWS}`
    const { rows } = await tx.query<{ id: string }>(text, [value])
    return rows.map(({ id }) => id)
  }
  const found = await lost(due, after)
  if (found.length === 0) return { rows: [] }
  const { rows } = await tx.query<Row>(
    `select ${columns} from ${table} where id = any($1) and ${condition} order by id for no key update skip locked`,
    [found],
  )
  const still = new Set(
    await lost(
      'select id from unnest($1::text[]) as id',
      rows.map(({ id }) => id),
    ),
  )
  const last = found.length < PAGE_ROWS ? undefined : found.at(-1)
  return { rows: rows.filter(({ id }) => still.has(id)), ...(last !== undefined && { last }) }
}
