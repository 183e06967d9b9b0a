import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import { type Database, inBriefTransaction } from '../../db/database.ts'
import type { JobKind } from '../job-kind.ts'
import type { RowInsert } from '../queue.ts'
import { type QueueStatement, statementOf } from './batched-inserts.ts'

/** What one transaction takes: larger ones save little, and one that fails is repeated row by row. */
const MAX_ROWS = 32
/** One that must wait for its locks longer keeps no others waiting. */
const HELD_UP = { longestWaitMs: 250 }
/** How long the statement waits for a lock is its transaction's to limit. */
const AS_ITS_TRANSACTION = null

interface Queued {
  readonly insert: RowInsert
  readonly queued: QueueStatement
  readonly jobId: string
}

/** As the insertion returns it. */
interface Inserted {
  /** The id of the job that was queued. */
  readonly queued: string
}

/** Inserts of a process that share their transactions, and fail together: unlike those of `BatchedInserts` none is repeated here. */
export class JointInserts {
  readonly #batches = new Map<string, BatchedCalls<Queued, Inserted | undefined>>()

  /** Resolves once it is committed; with undefined where the insertion has not chosen it. @throws what PostgreSQL says of any of the batch */
  async add<Row extends object>(db: Database, kind: JobKind, row: Queued): Promise<Row | undefined> {
    const key = `${row.insert.name} ${kind.queue}`
    const batch = this.#batches.get(key) ?? batchOf(db, kind)
    this.#batches.set(key, batch)
    return (await batch.call(row)) as Row | undefined
  }
}

function batchOf(db: Database, kind: JobKind): BatchedCalls<Queued, Inserted | undefined> {
  const insertAll = async (batch: readonly Queued[]) => {
    const statement = statementOf(kind, batch, AS_ITS_TRANSACTION)
    const { rows } = await inBriefTransaction(db, (tx) => tx.query<Inserted>(statement))
    const inserted = new Map(rows.map((row) => [row.queued, row]))
    return batch.map(({ jobId }) => inserted.get(jobId))
  }
  return new BatchedCalls(MAX_ROWS, insertAll, HELD_UP)
}
