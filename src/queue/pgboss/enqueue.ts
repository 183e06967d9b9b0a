import type { PgBoss } from 'pg-boss'
import { toUUID } from 'typeid-js'
import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import { BATCH_WAIT, isHeldUp, limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import { wasSent, wroteNothing } from '../../errors/outages.ts'
import { messageSpan } from '../../telemetry/span-names.ts'
import { inProducerSpan, traceOfNow } from '../../telemetry/spans.ts'
import { logScope } from '../../values/log-scope.ts'
import type { JobKind } from '../job-kind.ts'
import type { Origin } from '../job-source.ts'
import type { EnqueueOptions, Queue, RowInsert } from '../queue.ts'
import { bossDatabase } from './boss-database.ts'

const AWAITED = 1
export const QUEUE_CHANNEL = 'sonant_queue'

const UNIQUE_VIOLATION = '23505'
const MAX_ROWS = 32
const HELD_UP = { longestWaitMs: 250 }

interface Pushing {
  readonly prepare: Queue['prepare']
  wake(kind: JobKind): boolean
}

/** Its one parameter is a JSON array of rows. */
interface QueueStatement {
  readonly text: string
  readonly rows: string
}

interface Queued {
  readonly insert: RowInsert
  readonly queued: QueueStatement
  readonly jobId: string
  readonly owner: string
}

interface Failure {
  readonly error: unknown
  readonly isShared: boolean
}

/** Undefined if the insertion did not choose the row. */
type Inserted = { readonly queued: string } | undefined

export function enqueueing(
  boss: () => Promise<PgBoss>,
  { prepare, wake }: Pushing,
): Pick<Queue, 'enqueue' | 'enqueueWith'> {
  const inserts = new BatchedInserts(wake)
  return {
    enqueue: (tx, kind, jobId, options) =>
      inSendSpan(kind, jobId, async () => {
        await prepare(kind)
        const sent = { db: bossDatabase(tx), ...sending(options) }
        await (await boss()).send(kind.queue, payload(jobId, options), sent)
      }),
    enqueueWith: (db, insert, kind, jobId, options) =>
      inSendSpan(kind, jobId, async () => {
        const queued = await queueStatement(await boss(), kind, jobId, options)
        return inserts.add(db, kind, { insert, queued, jobId, owner: options?.fairShare?.accountId ?? jobId })
      }),
  }
}

const inSendSpan = <Result>(kind: JobKind, id: string, work: () => Promise<Result>): Promise<Result> =>
  inProducerSpan(() => messageSpan('send', kind.queue, id), work)

/** Queue rows of earlier releases store the concurrency key as `lane`. */
const payload = (jobId: string, { concurrencyKey }: EnqueueOptions = {}) => ({
  jobId,
  ...(concurrencyKey !== undefined && { lane: concurrencyKey }),
  ...originOfNow(),
})

function originOfNow(): Origin {
  const [{ requestId }, trace] = [logScope(), traceOfNow()]
  return { ...(requestId !== undefined && { requestId }), ...(trace !== undefined && { trace }) }
}

const sending = ({ fairShare, concurrencyKey, delaySeconds }: EnqueueOptions = {}) => ({
  group:
    concurrencyKey === undefined
      ? { id: fairShare?.accountId ?? '-', tier: fairShare?.server ?? '-' }
      : { id: concurrencyKey },
  ...(fairShare?.isAwaited && { priority: AWAITED }),
  ...(delaySeconds !== undefined && { startAfter: `${delaySeconds} seconds` }),
})

/** Captures the statement that `send` would run. The queue id is the job's UUID, so a job can be queued only once. */
async function queueStatement(
  boss: PgBoss,
  kind: JobKind,
  jobId: string,
  options: EnqueueOptions | undefined,
): Promise<QueueStatement> {
  const caught = { text: '', values: [] as unknown[] }
  const id = queueId(jobId)
  const executeSql = async (text: string, values: unknown[] = []) => {
    Object.assign(caught, { text, values })
    return { rows: [{ id }] }
  }
  await boss.send(kind.queue, payload(jobId, options), { id, db: { executeSql }, ...sending(options) })
  return { text: caught.text, rows: String(caught.values[0]) }
}

export const queueId = (jobId: string): string => toUUID(jobId as Parameters<typeof toUUID>[0])

/** Commits rows in batches; a lone row goes out at once. */
class BatchedInserts {
  readonly #wake: (kind: JobKind) => boolean
  readonly #batches = new Map<string, BatchedCalls<Queued, { inserted: Inserted } | Failure>>()

  constructor(wake: (kind: JobKind) => boolean) {
    this.#wake = wake
  }

  /**
   * Resolves once both rows are committed.
   * @throws PostgreSQL's error about this row alone
   */
  async add<Row extends object>(db: Database, kind: JobKind, row: Queued): Promise<Row | undefined> {
    const key = `${row.insert.name} ${kind.queue}`
    const batch = this.#batches.get(key) ?? this.#batchOf(db, kind)
    this.#batches.set(key, batch)
    const outcome = await batch.call(row)
    if (!('error' in outcome)) return outcome.inserted as Row | undefined
    if (row.insert.isTriedOnce) throw outcome.error
    return (await this.#repeatAlone(db, kind, row, outcome)) as Row | undefined
  }

  /** One row's error must not fail the others. */
  async #repeatAlone(db: Database, kind: JobKind, row: Queued, { error, isShared }: Failure): Promise<Inserted> {
    // After a lost answer, the repetition shows whether the row was committed.
    const mayFareBetter = wasSent(error) && (isShared || isHeldUp(error) || !wroteNothing(error))
    if (!mayFareBetter) throw error
    try {
      const [inserted] = await outwaitLocks(db, row.owner, (longest) => this.#insert(db, kind, [row], longest))
      return inserted
    } catch (again) {
      // Only this caller knows the id, so the lost statement committed the row.
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
    if (inserted.size > 0 && this.#wake(kind)) await nextTurn()
    return rows.map(({ jobId }) => inserted.get(jobId))
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

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

const joined = (arrays: readonly string[]): string => `[${arrays.map((array) => array.slice(1, -1)).join(',')}]`

const chosenOf = (json: string, chosen: string): string => `(
  select coalesce(json_agg(waiting), '[]') from json_array_elements(${json}::json) as waiting
  where waiting->'data'->>'jobId' in (select id from ${chosen}))`
