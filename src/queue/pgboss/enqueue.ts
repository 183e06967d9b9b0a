import { toUUID } from 'typeid-js'
import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import { BATCH_WAIT, isHeldUp, limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import { wasSent, wroteNothing } from '../../errors/outages.ts'
import { messageSpan } from '../../telemetry/span-names.ts'
import { inProducerSpan, traceHeaders } from '../../telemetry/spans.ts'
import { logScope } from '../../values/log-scope.ts'
import type { JobKind } from '../job-kind.ts'
import type { Origin } from '../job-source.ts'
import type { EnqueueOptions, InScope, NewJob, Queue, RowInsert } from '../queue.ts'

const AWAITED = 1
export const QUEUE_CHANNEL = 'sonant_queue'

const UNIQUE_VIOLATION = '23505'
const MAX_ROWS = 32
const HELD_UP = { longestWaitMs: 250 }

interface Pushing {
  readonly prepare: Queue['prepare']
  wake(kind: JobKind): boolean
}

interface Queued {
  readonly insert: RowInsert
  readonly waiting: WaitingRow
  readonly jobId: string
  readonly owner: string
}

interface Failure {
  readonly error: unknown
  readonly isShared: boolean
}

/** A row of pg-boss's table; pg-boss's queue has its other columns. */
interface WaitingRow {
  /** Absent: any. */
  readonly id?: string
  readonly data: Readonly<Record<string, unknown>>
  readonly group: string
  readonly tier?: string
  readonly priority?: number
  readonly delay_seconds?: number
}

/**
 * Inserts what pg-boss's `send` would insert, in the statement of the caller.
 * @param rows parameter with a JSON array of {@link WaitingRow}
 * @param queue parameter with the queue's name
 */
const queueing = (rows: `$${number}`, queue: `$${number}`, condition = 'true'): string => `
  insert into pgboss.job (id, name, data, priority, group_id, group_tier, start_after, keep_until, expire_seconds, deletion_seconds,
    retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds)
  select coalesce(waiting.id, gen_random_uuid()), q.name, waiting.data, coalesce(waiting.priority, 0), waiting."group", waiting.tier,
    now() + delay, now() + delay + q.retention_seconds * interval '1 second', q.expire_seconds, q.deletion_seconds,
    q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.policy, q.dead_letter, q.heartbeat_seconds
  from json_to_recordset(${rows}::json) as waiting (id uuid, data jsonb, "group" text, tier text, priority integer, delay_seconds float8)
  cross join lateral (select coalesce(waiting.delay_seconds, 0) * interval '1 second' as delay) as later
  join pgboss.queue q on q.name = ${queue}::text
  where ${condition}
  on conflict do nothing
  returning id`

const QUEUEING = queueing('$1', '$2')

export function enqueueing({ prepare, wake }: Pushing): Pick<Queue, 'enqueue' | 'enqueueWith'> {
  const inserts = new BatchedInserts(wake)
  return {
    enqueue: async (tx, kind, jobs) => {
      if (jobs.length === 0) return
      await prepare(kind)
      const row = ({ id, inScope = inThisScope, ...options }: NewJob) =>
        inScope(() => inSendSpan(kind, id, async () => waitingRow(id, options)))
      const values = [JSON.stringify(await Promise.all(jobs.map(row))), kind.queue]
      await tx.query({ name: 'enqueue', text: QUEUEING, values })
    },
    enqueueWith: (db, insert, kind, jobId, options) =>
      inSendSpan(kind, jobId, async () => {
        // The queue id is the job's UUID, so a job can be queued only once.
        const waiting = { id: queueId(jobId), ...waitingRow(jobId, options) }
        return inserts.add(db, kind, { insert, waiting, jobId, owner: options?.fairShare?.accountId ?? jobId })
      }),
  }
}

const inThisScope: InScope = (work) => work()

const inSendSpan = <Result>(kind: JobKind, id: string, work: () => Promise<Result>): Promise<Result> =>
  inProducerSpan(() => messageSpan('send', kind.queue, id), work)

const waitingRow = (
  jobId: string,
  { fairShare, concurrencyKey, delaySeconds, holdsPlace }: EnqueueOptions = {},
): WaitingRow => ({
  data: {
    jobId,
    // Queue rows of earlier releases store the concurrency key as `lane`.
    ...(concurrencyKey !== undefined && { lane: concurrencyKey }),
    // The claim takes such a row for one that a worker had.
    ...(holdsPlace && { worker: '' }),
    ...originOfNow(),
  },
  ...(concurrencyKey === undefined
    ? { group: groupOf(fairShare), tier: fairShare?.server ?? '-' }
    : { group: concurrencyKey }),
  ...(fairShare?.isAwaited && { priority: AWAITED }),
  ...(delaySeconds !== undefined && { delay_seconds: delaySeconds }),
})

const groupOf = (fairShare: EnqueueOptions['fairShare']): string =>
  [fairShare?.accountId ?? '-', fairShare?.limitedKey].filter((id) => id !== undefined).join('/')

function originOfNow(): Origin {
  const [{ requestId }, trace] = [logScope(), traceHeaders().traceparent]
  return { ...(requestId !== undefined && { requestId }), ...(trace !== undefined && { trace }) }
}

export const queueId = (jobId: string): string => toUUID(jobId as Parameters<typeof toUUID>[0])

/** Commits rows in batches; a lone row goes out at once. */
class BatchedInserts {
  readonly #wake: (kind: JobKind) => boolean
  readonly #batches = new Map<string, BatchedCalls<Queued, boolean | Failure>>()

  constructor(wake: (kind: JobKind) => boolean) {
    this.#wake = wake
  }

  /**
   * Resolves once both rows are committed.
   * @returns false if the insertion did not choose the row
   * @throws PostgreSQL's error about this row alone
   */
  async add(db: Database, kind: JobKind, row: Queued): Promise<boolean> {
    const key = `${row.insert.name} ${kind.queue}`
    const batch = this.#batches.get(key) ?? this.#batchOf(db, kind)
    this.#batches.set(key, batch)
    const outcome = await batch.call(row)
    return typeof outcome === 'boolean' ? outcome : this.#repeatAlone(db, kind, row, outcome)
  }

  /** One row's error must not fail the others. */
  async #repeatAlone(db: Database, kind: JobKind, row: Queued, { error, isShared }: Failure): Promise<boolean> {
    // After a lost answer, the repetition shows whether the row was committed.
    const mayFareBetter = wasSent(error) && (isShared || isHeldUp(error) || !wroteNothing(error))
    if (!mayFareBetter) throw error
    try {
      const [inserted] = await outwaitLocks(db, row.owner, (longest) => this.#insert(db, kind, [row], longest))
      return inserted!
    } catch (again) {
      // Only this caller knows the id, so the lost statement committed the row.
      if (codeOf(again) !== UNIQUE_VIOLATION || wroteNothing(error)) throw again
      this.#wake(kind)
      return true
    }
  }

  #batchOf(db: Database, kind: JobKind) {
    const insertAll = (rows: readonly Queued[]): Promise<(boolean | Failure)[]> =>
      this.#insert(db, kind, rows).catch((error: unknown) => rows.map(() => ({ error, isShared: rows.length > 1 })))
    return new BatchedCalls(MAX_ROWS, insertAll, HELD_UP)
  }

  async #insert(db: Database, kind: JobKind, rows: readonly Queued[], lockWait = BATCH_WAIT): Promise<boolean[]> {
    const answer = await db.pool.query<{ queued: string }>(statementOf(kind, rows, lockWait))
    const inserted = new Set(answer.rows.map(({ queued }) => queued))
    if (inserted.size > 0 && this.#wake(kind)) await nextTurn()
    return rows.map(({ jobId }) => inserted.has(jobId))
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

function statementOf(kind: JobKind, rows: readonly Queued[], lockWait: string) {
  const { insert } = rows[0]!
  const columns = insert.row.map((_, column) => rows.map(({ insert: { row } }) => row[column]))
  const waiting = JSON.stringify(rows.map((row) => row.waiting))
  const values: unknown[] = [...columns, waiting, kind.queue, lockWait]
  const [rowsAt, queueAt, waitAt] = [2, 1, 0].map((fromEnd) => `$${values.length - fromEnd}` as const)
  const first = insert.with === undefined ? '' : `${insert.with}, `
  const condition = insert.chosen && `waiting.data->>'jobId' in (select id from ${insert.chosen})`
  const text = `with ${first}queued as (${queueing(rowsAt!, queueAt!, condition)}) ${insert.text(limitingLockWaits(waitAt!))}`
  return { name: `${insert.name} ${kind.queue}`, text, values }
}
