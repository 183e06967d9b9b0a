import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import { BATCH_WAIT, isHeldUp, limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import { wasSent, wroteNothing } from '../../errors/database-down.ts'
import type { JobKind } from '../job-kind.ts'
import type { RowInsert } from '../queue.ts'

/** Names the queue that has work. */
export const QUEUE_CHANNEL = 'sonant_queue'

const UNIQUE_VIOLATION = '23505'
/** What one statement takes: larger ones save little, and one that fails is repeated row by row. */
const MAX_ROWS = 32
/** A row that must wait for its locks longer does so alone. */
const HELD_UP = { longestWaitMs: 100 }

/** What pg-boss would run to queue a job: a statement with one parameter, `$1`, a JSON array of rows. */
export interface QueueStatement {
  readonly text: string
  readonly rows: string
}

/** A row of a table of ours, and the queue row that is committed with it. */
interface Queued {
  readonly insert: RowInsert
  readonly queued: QueueStatement
  readonly jobId: string
  /** Whose turn it is where many rows wait for locks. */
  readonly owner: string
}

/** Of a statement. */
interface Failure {
  readonly error: unknown
  /** It was about several rows: each may fare better alone. */
  readonly isShared: boolean
}

/** Of a row that a failed statement was to insert: by its repetition, by itself though its answer was lost, or not at all. */
type Repeated = 'inserted' | 'there' | 'not chosen'

/** Inserts of a process that are committed together: one that comes alone goes out at once, those that come meanwhile in the next statement. */
export class BatchedInserts {
  readonly #wake: (kind: JobKind) => boolean
  readonly #batches = new Map<string, BatchedCalls<Queued, Failure | boolean>>()

  /** @param wake whether a worker of this process takes it */
  constructor(wake: (kind: JobKind) => boolean) {
    this.#wake = wake
  }

  /** Resolves once both rows are committed; with false where the insertion has not chosen them. @throws what PostgreSQL says of these rows alone */
  async add(db: Database, kind: JobKind, row: Queued): Promise<boolean> {
    const key = `${row.insert.name} ${kind.queue}`
    const batch = this.#batches.get(key) ?? this.#batchOf(db, kind)
    this.#batches.set(key, batch)
    const outcome = await batch.call(row)
    if (typeof outcome === 'boolean') return outcome
    return (await this.#repeatAlone(db, kind, row, outcome)) !== 'not chosen'
  }

  /** What fails a statement about many would otherwise fail all of their requests. */
  async #repeatAlone(db: Database, kind: JobKind, row: Queued, { error, isShared }: Failure): Promise<Repeated> {
    // Without a connection a repetition would only wait as long again. The repetition of a lost statement tells whether its job is there.
    const mayFareBetter = wasSent(error) && (isShared || isHeldUp(error) || !wroteNothing(error))
    if (!mayFareBetter) throw error
    try {
      const [isInserted] = await outwaitLocks(db, row.owner, (longest) => this.#insert(db, kind, [row], longest))
      return isInserted === true ? 'inserted' : 'not chosen'
    } catch (again) {
      // Its id is its own: the row is there because the lost answer was that of a commit.
      if (codeOf(again) !== UNIQUE_VIOLATION || wroteNothing(error)) throw again
      this.#wake(kind)
      return 'there'
    }
  }

  #batchOf(db: Database, kind: JobKind): BatchedCalls<Queued, Failure | boolean> {
    const insertAll = (rows: readonly Queued[]): Promise<readonly (Failure | boolean)[]> =>
      this.#insert(db, kind, rows).catch((error: unknown) => rows.map(() => ({ error, isShared: rows.length > 1 })))
    return new BatchedCalls(MAX_ROWS, insertAll, HELD_UP)
  }

  /** Returns of each whether it was inserted. */
  async #insert(db: Database, kind: JobKind, rows: readonly Queued[], lockWait = BATCH_WAIT): Promise<boolean[]> {
    const answer = await db.pool.query<{ id: string }>(statementOf(kind, rows, lockWait))
    const chosen = new Set(answer.rows.map(({ id }) => id))
    const inserted = rows.map(({ insert, jobId }) => insert.chosen === undefined || chosen.has(jobId))
    // The claim goes first: it would wait for the answers to be written.
    if (inserted.includes(true) && this.#wake(kind)) await nextTurn()
    return inserted
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** One statement for all of the rows, which are of one table. */
export function statementOf(kind: JobKind, rows: readonly Omit<Queued, 'owner'>[], lockWait: string | null) {
  const { insert, queued } = rows[0]!
  const columns = insert.row.map((_, column) => rows.map(({ insert: { row } }) => row[column]))
  const values: unknown[] = [...columns, joined(rows.map(({ queued: { rows: json } }) => json)), lockWait]
  const [queuedAt, waitAt] = [`$${values.length - 1}`, `$${values.length}`] as const
  const queueRows = insert.chosen === undefined ? queuedAt : chosenOf(queuedAt, insert.chosen)
  const first = insert.with === undefined ? '' : `${insert.with}, `
  const text = `with ${first}queued as (${queued.text.replaceAll('$1', () => queueRows)}) ${insert.text(limitingLockWaits(waitAt))}`
  return { name: `${insert.name} ${kind.queue}`, text, values }
}

/** JSON arrays as one. */
const joined = (arrays: readonly string[]): string => `[${arrays.map((array) => array.slice(1, -1)).join(',')}]`

/** Of the rows that pg-boss is to insert, those of the jobs that are in an expression: in the place of its parameter. */
const chosenOf = (json: string, chosen: string): string => `(
  select coalesce(json_agg(waiting), '[]') from json_array_elements(${json}::json) as waiting
  where waiting->'data'->>'jobId' in (select id from ${chosen}))`
