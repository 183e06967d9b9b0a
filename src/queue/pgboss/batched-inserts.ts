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
const HELD_UP = { longestWaitMs: 250 }

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

interface Failure {
  readonly error: unknown
  /** The statement had other rows too, and one of them may be at fault. */
  readonly isShared: boolean
}

/** A row's answer; undefined if the insertion did not choose the row. */
type Inserted = { readonly queued: string } | undefined

/** Commits rows in one statement: a row that comes alone goes out at once, the next statement takes those that come meanwhile. */
export class BatchedInserts {
  readonly #wake: (kind: JobKind) => boolean
  readonly #batches = new Map<string, BatchedCalls<Queued, { inserted: Inserted } | Failure>>()

  /** @param wake wakes a kind's workers; true: a worker of this process takes the job */
  constructor(wake: (kind: JobKind) => boolean) {
    this.#wake = wake
  }

  /**
   * Resolves once both rows are committed, with the insertion's answer.
   * @throws the error of PostgreSQL about this row alone
   */
  async add<Row extends object>(db: Database, kind: JobKind, row: Queued): Promise<Row | undefined> {
    const key = `${row.insert.name} ${kind.queue}`
    const batch = this.#batches.get(key) ?? this.#batchOf(db, kind)
    this.#batches.set(key, batch)
    const outcome = await batch.call(row)
    const inserted = 'error' in outcome ? await this.#repeatAlone(db, kind, row, outcome) : outcome.inserted
    return inserted as Row | undefined
  }

  /** One row's error must not fail the requests of the others. */
  async #repeatAlone(db: Database, kind: JobKind, row: Queued, { error, isShared }: Failure): Promise<Inserted> {
    // Without a connection a repetition would only wait as long again. The repetition of a lost statement tells whether its job is there.
    const mayFareBetter = wasSent(error) && (isShared || isHeldUp(error) || !wroteNothing(error))
    if (!mayFareBetter) throw error
    try {
      const [inserted] = await outwaitLocks(db, row.owner, (longest) => this.#insert(db, kind, [row], longest))
      return inserted
    } catch (again) {
      // Only this caller has the id, so the row is there because the lost answer was that of a commit.
      if (codeOf(again) !== UNIQUE_VIOLATION || wroteNothing(error)) throw again
      this.#wake(kind)
      return { queued: row.jobId }
    }
  }

  #batchOf(db: Database, kind: JobKind) {
    const insertAll = (rows: readonly Queued[]): Promise<({ inserted: Inserted } | Failure)[]> =>
      this.#insert(db, kind, rows).then(
        (all) => all.map((inserted) => ({ inserted })),
        (error: unknown) => rows.map(() => ({ error, isShared: rows.length > 1 })),
      )
    return new BatchedCalls(MAX_ROWS, insertAll, HELD_UP)
  }

  async #insert(db: Database, kind: JobKind, rows: readonly Queued[], lockWait = BATCH_WAIT): Promise<Inserted[]> {
    const answer = await db.pool.query<{ queued: string }>(statementOf(kind, rows, lockWait))
    const inserted = new Map(answer.rows.map((row) => [row.queued, row]))
    // The claim goes first: it would wait for the answers to be written.
    if (inserted.size > 0 && this.#wake(kind)) await nextTurn()
    return rows.map(({ jobId }) => inserted.get(jobId))
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** One statement for all of the rows, which are of one table. */
function statementOf(kind: JobKind, rows: readonly Queued[], lockWait: string) {
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
