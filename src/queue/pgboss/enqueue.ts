import type { PgBoss } from 'pg-boss'
import { toUUID } from 'typeid-js'
import { messageSpan } from '../../telemetry/span-names.ts'
import { inProducerSpan, traceOfNow } from '../../telemetry/spans.ts'
import { logScope } from '../../values/log-scope.ts'
import type { JobKind } from '../job-kind.ts'
import type { Origin } from '../job-source.ts'
import type { EnqueueOptions, Queue } from '../queue.ts'
import { BatchedInserts, type QueueStatement } from './batched-inserts.ts'
import { bossDatabase } from './boss-database.ts'

const AWAITED = 1

interface Pushing {
  readonly prepare: Queue['prepare']
  wake(kind: JobKind): boolean
}

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
