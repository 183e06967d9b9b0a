import { notifyAccount } from '../accounts/notify-account.ts'
import { BatchedCalls } from '../concurrency/batch-calls.ts'
import { findJobsWith } from '../jobs/find-job.ts'
import type { Job } from '../jobs/job-shape.ts'
import type { DeliveredEnd, DeliveryPort, JobName, OwnEnd } from '../jobs/lifecycle/job-end.ts'
import type { EndedJob } from '../jobs/notes/note-end.ts'
import { receiverOf } from '../jobs/receiver-of.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import type { RowInsert } from '../queue/queue.ts'
import { newId } from '../values/id.ts'
import { deliveryInsert } from './delivery/create-delivery.ts'
import { concurrencyKeyOf } from './delivery/webhook-delivery.ts'
import { type DeliveryParts, SIGNED_COLUMNS, signPayload } from './payload-snapshot.ts'
import type { SealedSecrets } from './signing/signing-secrets.ts'

interface Ending extends SealedSecrets {
  readonly webhookUrl: string | null
  readonly readAt: Date
}

type EndingJob = Job & Ending

const ENDING_JOBS = {
  name: 'ending_jobs',
  columns: `${SIGNED_COLUMNS}, clock_timestamp() as "readAt", ${receiverOf('j')} as "webhookUrl"`,
}
const MAX_JOBS = 32
const HELD_UP = { longestWaitMs: 250 }
const CHOSEN = 'id in (select chosen.id from chosen)'

/** Completes jobs with their deliveries. The payload is signed before the write, so its end time is the read's. */
export function openCreateWithEnd(parts: DeliveryParts): DeliveryPort['createWithEnd'] {
  const reads = new BatchedCalls(MAX_JOBS, (ids: readonly string[]) => readEnding(parts, ids), HELD_UP)
  return async (job, end) => {
    const read = await reads.call(job.jobId)
    // A transaction creates an account's first secret.
    if (read === undefined || read.webhookUrl === null || read.sealed.length === 0) return null
    return writeEnd(parts, job, end, { ...read, webhookUrl: read.webhookUrl })
  }
}

async function readEnding({ db }: DeliveryParts, ids: readonly string[]): Promise<(EndingJob | undefined)[]> {
  const jobs = await findJobsWith<Ending>(db.pool, ids, ENDING_JOBS)
  const read = new Map(jobs.map((job) => [job.id, job]))
  return ids.map((id) => read.get(id))
}

async function writeEnd(parts: DeliveryParts, job: JobName, end: OwnEnd, read: EndingJob & { webhookUrl: string }) {
  const { readAt, createdAt, startedAt, webhookUrl: url } = read
  const id = newId('msg', parts.now())
  const endedAt = new Date(Math.max(readAt.getTime(), createdAt.getTime(), startedAt?.getTime() ?? 0))
  const ended = {
    ...read,
    status: 'completed',
    completedAt: endedAt,
    errorCode: null,
    storedOutputs: end.outputs,
  } as const
  const content = await signPayload(parts, parts.db.pool, { deliveryId: id, accountId: job.accountId }, ended)
  const insert = deliveryInsert({ id, subject: { ...job, kind: 'job' }, url, content }, CHOSEN)
  const concurrencyKey = concurrencyKeyOf(job.accountId, url)
  const written = endingWith(insert, end, { endedAt, url })
  const answer = await parts.queue.enqueueWith<EndedJob>(parts.db, written, WEBHOOK_KIND, id, { concurrencyKey })
  if (answer === undefined) throw new Error(`the claim of ${job.jobId} does not stand any more`)
  return { ended: answer, made: { committed: () => notifyAccount(parts, job.accountId, id) } }
}

const endingWith = (insert: RowInsert, end: OwnEnd, delivered: DeliveredEnd): RowInsert => ({
  name: `${insert.name}_with_end`,
  with: [
    end.with('$1', (n) => `$${insert.row.length + n}`),
    ...(insert.with === undefined ? [] : [insert.with]),
    `created as (${insert.text('true')})`,
  ].join(', '),
  chosen: 'chosen',
  text: (condition) =>
    `select ended.*, chosen.id as queued from ended join chosen on chosen.job_id = ended.id where ${condition}`,
  row: [...insert.row, ...end.values(delivered)],
})
