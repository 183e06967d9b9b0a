import { inBriefTransaction } from '../db/database.ts'
import { findJobWith } from '../jobs/find-job.ts'
import type { DeliveredEnd, EndedWithDelivery, JobName, OwnEnd } from '../jobs/lifecycle/job-end.ts'
import type { EndedJob } from '../jobs/notes/note-end.ts'
import { receiverOf } from '../jobs/receiver-of.ts'
import type { RowInsert } from '../queue/queue.ts'
import { newId } from '../values/id.ts'
import { type CreatedDelivery, queueDelivery } from './delivery/create-delivery.ts'
import { type DeliveryParts, SIGNED_COLUMNS, signPayload } from './payload-snapshot.ts'
import type { SealedSecrets } from './signing/signing-secrets.ts'

interface EndingJob extends SealedSecrets {
  readonly webhookUrl: string | null
  readonly readAt: Date
}

const ENDING_JOB = {
  name: 'ending_job',
  columns: `${SIGNED_COLUMNS}, clock_timestamp() as "readAt", ${receiverOf('j')} as "webhookUrl"`,
}

/**
 * Completes a job together with its delivery. The payload is signed before the job ends, so the time of its completion is that of the read before,
 * by the same clock, and never before the job began. null: that cannot be. @throws where the claim does not stand, or what PostgreSQL says
 */
export async function createWithEnd(
  parts: DeliveryParts,
  job: JobName,
  end: OwnEnd,
): Promise<EndedWithDelivery | null> {
  const read = await findJobWith<EndingJob>(parts.db.pool, job.jobId, ENDING_JOB)
  // An account from before there were secrets gets its first one in a transaction.
  if (read === null || read.webhookUrl === null || read.sealed.length === 0) return null
  const { readAt, createdAt, startedAt, webhookUrl: url } = read
  const deliveryId = newId('msg', parts.now())
  const endedAt = new Date(Math.max(readAt.getTime(), createdAt.getTime(), startedAt?.getTime() ?? 0))
  const ended = {
    ...read,
    status: 'completed',
    completedAt: endedAt,
    errorCode: null,
    storedOutputs: end.outputs,
  } as const
  const content = await signPayload(parts, parts.db.pool, { deliveryId, accountId: job.accountId }, ended)
  const making = { id: deliveryId, subject: { ...job, kind: 'job' }, url, content } as const
  const insertWith = (insert: RowInsert) => endingWith(insert, end, { endedAt, url })
  let made: CreatedDelivery | undefined
  try {
    const row = await inBriefTransaction(parts.db, async (tx) => {
      const queued = await queueDelivery<EndedJob>(parts, tx, making, insertWith)
      made = queued.delivery
      if (queued.rows[0] === undefined) throw new Error(`the claim of ${job.jobId} does not stand any more`)
      return queued.rows[0]
    })
    return { ended: row, made: made! }
  } catch (error) {
    made?.abandoned()
    throw error
  }
}

const endingWith = (insert: RowInsert, end: OwnEnd, delivered: DeliveredEnd): RowInsert => ({
  name: `${insert.name}_with_end`,
  with: [
    end.with((n) => `$${insert.row.length + n}`),
    ...(insert.with === undefined ? [] : [insert.with]),
    `created as (${insert.text('true')})`,
  ].join(', '),
  text: (condition) => `select * from ended where ${condition}`,
  row: [...insert.row, ...end.values(delivered)],
})
