import type { Tx } from '../db/database.ts'
import type { Queue } from './queue.ts'

/** None of them can end, or be cancelled, while they are queued again; to find them takes as long for one as for all. */
const PAGE_ROWS = 1000

/** The rows of a table that are to be in a queue. */
export interface QueuedRows {
  readonly table: 'job' | 'webhook_delivery'
  /** What is read of a row: its `id`, and what is needed to queue it again. */
  readonly columns: string
  /** Whether it is to be in a queue, and has been for long enough. */
  readonly condition: string
}

/** A page of lost rows. */
interface LostRows<Row> {
  readonly rows: readonly Row[]
  /** After which the next page begins; none where this was the last one. */
  readonly last?: string
}

/**
 * A page of those rows that no queue holds although they are to be in one, by id. Each is locked, so that it stays so until the transaction
 * ends: what ended or was queued since it was found is left out, and so is what another transaction is just writing.
 */
export async function lockUnqueued<Row extends { id: string }>(
  tx: Tx,
  queue: Pick<Queue, 'unqueued'>,
  { table, columns, condition }: QueuedRows,
  after = '',
): Promise<LostRows<Row>> {
  const due = `select id from ${table} where ${condition} and id > $1`
  const { rows: some } = await tx.query(`${due} limit 1`, [after])
  if (some.length === 0) return { rows: [] }
  // It reads the whole queue: a limit that the role has must not keep what is lost from being found, minute after minute.
  await tx.query('set local statement_timeout = 0')
  const lost = async (ids: string, value: unknown): Promise<string[]> => {
    // All of them before the limit: else the plan would be for the first few, and as a rule there are none.
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
