import type { PgBoss } from 'pg-boss'
import { toUUID } from 'typeid-js'
import type { Tx } from '../../db/database.ts'
import { messageSpan } from '../../telemetry/span-names.ts'
import { inProducerSpan, traceOfNow } from '../../telemetry/spans.ts'
import { logScope } from '../../values/log-scope.ts'
import type { JobKind } from '../job-kind.ts'
import type { Origin } from '../job-source.ts'
import type { EnqueueOptions, Queue, RowInsert } from '../queue.ts'
import { BatchedInserts, type QueueStatement, statementOf } from './batched-inserts.ts'
import { bossDatabase } from './boss-database.ts'
import { JointInserts } from './joint-inserts.ts'

/** How long a transaction of the caller's waits for a lock is its caller's to limit. */
const AS_ITS_TRANSACTION = null
/** The priority of what somebody waits for; all else has none. */
const AWAITED = 1

interface Pushing {
  readonly prepare: Queue['prepare']
  /** Returns whether a worker of this process takes it. */
  wake(kind: JobKind): boolean
}

/** The part of the queue that takes jobs in. */
export function enqueueing(
  boss: () => Promise<PgBoss>,
  { prepare, wake }: Pushing,
): Pick<Queue, 'enqueue' | 'enqueueWith' | 'enqueueTogether' | 'enqueueAgain'> {
  const inserts = new BatchedInserts(wake)
  const statement = async (kind: JobKind, jobId: string, options: EnqueueOptions | undefined) =>
    queueStatement(await boss(), kind, jobId, options)
  return {
    enqueue: <Row extends object>(
      tx: Pick<Tx, 'query'>,
      insert: RowInsert,
      kind: JobKind,
      jobId: string,
      options?: EnqueueOptions,
    ) =>
      inSendSpan(kind, jobId, async () => {
        const queued = await statement(kind, jobId, options)
        return (await tx.query<Row>(statementOf(kind, [{ insert, queued, jobId }], AS_ITS_TRANSACTION))).rows
      }),
    enqueueWith: (db, insert, kind, jobId, options) =>
      inSendSpan(kind, jobId, async () => {
        const queued = await statement(kind, jobId, options)
        return inserts.add(db, kind, { insert, queued, jobId, owner: options?.fairShare?.accountId ?? jobId })
      }),
    enqueueTogether: enqueueingTogether(statement),
    enqueueAgain: (tx, kind, jobId, options) =>
      inSendSpan(kind, jobId, async () => {
        await prepare(kind)
        const again = { db: bossDatabase(tx), ...sending(options) }
        await (await boss()).send(kind.queue, payload(jobId, options), again)
      }),
  }
}

const enqueueingTogether = (
  statement: (kind: JobKind, jobId: string, options: EnqueueOptions | undefined) => Promise<QueueStatement>,
): Queue['enqueueTogether'] => {
  const inserts = new JointInserts()
  return (db, insert, kind, jobId, options) =>
    inSendSpan(kind, jobId, async () =>
      inserts.add(db, kind, { insert, queued: await statement(kind, jobId, options), jobId }),
    )
}

const inSendSpan = <Result>(kind: JobKind, id: string, work: () => Promise<Result>): Promise<Result> =>
  inProducerSpan(() => messageSpan('send', kind.queue, id), work)

/** `lane` is the stored name of the concurrency key: rows that were queued before a release keep it. */
const payload = (jobId: string, { concurrencyKey }: EnqueueOptions = {}) => ({
  jobId,
  ...(concurrencyKey !== undefined && { lane: concurrencyKey }),
  ...originOfNow(),
})

/** Read where the job is queued: in the request that submits it, or in the worker's attempt that ends one with a delivery. */
function originOfNow(): Origin {
  const [{ requestId }, trace] = [logScope(), traceOfNow()]
  return { ...(requestId !== undefined && { requestId }), ...(trace !== undefined && { trace }) }
}

/** What has no share of its own has one together. */
const sending = ({ fairShare, concurrencyKey, delaySeconds }: EnqueueOptions = {}) => ({
  group:
    concurrencyKey === undefined
      ? { id: fairShare?.accountId ?? '-', tier: fairShare?.server ?? '-' }
      : { id: concurrencyKey },
  ...(fairShare?.isAwaited && { priority: AWAITED }),
  ...(delaySeconds !== undefined && { startAfter: `${delaySeconds} seconds` }),
})

/** What `send` would run, with its one parameter, `$1`. The queue's id is the job's own UUID: a job can wait in its queue once only. */
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
