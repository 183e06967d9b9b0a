import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import { BATCH_WAIT, isHeldUp, limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import { wasSent, wroteNothing } from '../../errors/database-down.ts'
import type { JobKind } from '../job-kind.ts'
import type { RowInsert, Taken } from '../queue.ts'
import type { Reservation } from '../reservation.ts'

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

interface Waking {
  beginsPush(kind: JobKind): boolean
  /** Whether a worker of this process takes it. */
  wake(kind: JobKind): boolean
}

/** Inserts of a process that are committed together: one that comes alone goes out at once, those that come meanwhile in the next statement. */
export class BatchedInserts {
  readonly #waking: Waking
  readonly #batches = new Map<string, BatchedCalls<Queued, Failure | boolean>>()

  constructor(waking: Waking) {
    this.#waking = waking
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

  /** Of one whose worker holds the reservation: it is dropped or given up unless the job is taken. */
  async addTaken<Row extends object>(
    db: Database,
    kind: JobKind,
    taken: Omit<Queued, 'owner'>,
    waiting: () => Promise<Queued>,
    reservation: Reservation,
  ): Promise<Taken<Row>> {
    try {
      const { rows } = await db.pool.query<Row>(statementOf(kind, [taken], false, BATCH_WAIT))
      if (rows[0] !== undefined) return { row: rows[0] }
      reservation.drop()
      return 'not chosen'
    } catch (error) {
      const repeat = async () => this.#repeatAlone(db, kind, await waiting(), { error, isShared: true })
      const repeated = await (wroteNothing(error) ? dropped(reservation, repeat) : doubted(reservation, repeat))
      return repeated === 'not chosen' ? repeated : 'waiting'
    }
  }

  /** What fails a statement about many would otherwise fail all of their requests. */
  async #repeatAlone(db: Database, kind: JobKind, row: Queued, { error, isShared }: Failure): Promise<Repeated> {
    // Where there is no connection to be had, a repetition would only wait as long again.
    if (!(isShared || isHeldUp(error)) || !wasSent(error)) throw error
    try {
      const [isInserted] = await outwaitLocks(db, row.owner, (longest) => this.#insert(db, kind, [row], longest))
      return isInserted === true ? 'inserted' : 'not chosen'
    } catch (again) {
      // Its id is its own: the row is there because the lost answer was that of a commit.
      if (codeOf(again) !== UNIQUE_VIOLATION || wroteNothing(error)) throw again
      this.#waking.wake(kind)
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
    // The first of a quiet time is noticed with its commit, not one way to the database later.
    const notifies = this.#waking.beginsPush(kind)
    const answer = await db.pool.query<{ id: string }>(statementOf(kind, rows, notifies, lockWait))
    const chosen = new Set(answer.rows.map(({ id }) => id))
    const inserted = rows.map(({ insert, jobId }) => insert.chosen === undefined || chosen.has(jobId))
    // The claim goes first: it would wait for the answers to be written.
    if (!notifies && inserted.includes(true) && this.#waking.wake(kind)) await nextTurn()
    return inserted
  }
}

/** Whose job surely is not there: the worker takes others meanwhile, as the repetition may wait long for its locks. */
function dropped(reservation: Reservation, repeat: () => Promise<Repeated>): Promise<Repeated> {
  reservation.drop()
  return repeat()
}

/** Of whose commit nothing is known: where the job is there, and where that stays unknown, what it has taken is released. */
async function doubted(reservation: Reservation, repeat: () => Promise<Repeated>): Promise<Repeated> {
  const repeated = await repeat().catch((error: unknown) => {
    reservation.giveUp()
    throw error
  })
  if (repeated === 'there') reservation.giveUp()
  else reservation.drop()
  return repeated
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** One statement for all of the rows, which are of one table. @param notifies whether its commit wakes the workers */
export function statementOf(
  kind: JobKind,
  rows: readonly Omit<Queued, 'owner'>[],
  notifies: boolean,
  lockWait: string | null,
) {
  const { insert, queued } = rows[0]!
  const columns = insert.row.map((_, column) => rows.map(({ insert: { row } }) => row[column]))
  const values: unknown[] = [...columns, joined(rows.map(({ queued: { rows: json } }) => json)), lockWait]
  const [queuedAt, waitAt] = [`$${values.length - 1}`, `$${values.length}`] as const
  const queueRows = insert.chosen === undefined ? queuedAt : chosenOf(queuedAt, insert.chosen)
  const first = insert.with === undefined ? '' : `${insert.with}, `
  const text = `with ${first}queued as (${queued.text.replaceAll('$1', () => queueRows)}) ${insert.text(limitingLockWaits(waitAt))}`
  const name = `${insert.name} ${kind.queue}`
  if (!notifies) return { name, text, values }
  const parameters = [1, 2].map((number) => `$${values.length + number}`).join(', ')
  return {
    name: `${name} notifying`,
    text: `${text}${insert.chosen === undefined && !insert.returns ? ' returning' : ','} pg_notify(${parameters})`,
    values: [...values, QUEUE_CHANNEL, kind.queue],
  }
}

/** JSON arrays as one. */
const joined = (arrays: readonly string[]): string => `[${arrays.map((array) => array.slice(1, -1)).join(',')}]`

/** Of the rows that pg-boss is to insert, those of the jobs that are in an expression: in the place of its parameter. */
const chosenOf = (json: string, chosen: string): string => `(
  select coalesce(json_agg(waiting), '[]') from json_array_elements(${json}::json) as waiting
  where waiting->'data'->>'jobId' in (select id from ${chosen}))`
