import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { notifyAccount } from '../../accounts/notify-account.ts'
import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Context } from '../../context/context.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { findJobsWith } from '../../jobs/job.ts'
import type { Job } from '../../jobs/job-shape.ts'
import {
  type DeliveredEnd,
  type DeliveryPort,
  type EndedJob,
  type JobName,
  type MadeDelivery,
  type OwnEnd,
  receiverOf,
} from '../../jobs/lifecycle/job-end.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { RowInsert } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import {
  type DeliveryParts,
  type PayloadSnapshot,
  SIGNED_COLUMNS,
  type Subject,
  signPayload,
  snapshotPayload,
} from '../payload-snapshot.ts'
import type { SealedSecrets } from '../signing.ts'
import { noteEndedDelivery } from './record-attempt.ts'
import { concurrencyKeyOf } from './webhook-delivery.ts'

const ENDING_JOBS = {
  name: 'ending_jobs',
  columns: `${SIGNED_COLUMNS}, clock_timestamp() as "readAt", ${receiverOf('j')} as "webhookUrl"`,
}
const MAX_JOBS = 32
const HELD_UP = { longestWaitMs: 250 }
const CHOSEN = 'id in (select chosen.id from chosen)'

export interface CreatedDelivery extends MadeDelivery {
  readonly id: string
}

interface Ending extends SealedSecrets {
  readonly webhookUrl: string | null
  readonly readAt: Date
}

type EndingJob = Job & Ending

/** Creates and queues the delivery in the transaction that ended the job. */
export async function createDelivery(
  parts: DeliveryParts,
  tx: Tx,
  subject: Subject,
  url: string,
): Promise<CreatedDelivery> {
  const id = newId('msg', parts.now())
  const content = await snapshotPayload(parts, tx, id, subject)
  const { name, text, row } = deliveryInsert({ id, subject, url, content })
  await tx.query({ name, text: text('true'), values: row.map((value) => [value]) })
  if (content === null)
    return created(parts, id, subject, () => noteEndedDelivery(parts.telemetry, 'secret_unreadable'))
  await parts.queue.enqueue(tx, WEBHOOK_KIND, id, { concurrencyKey: concurrencyKeyOf(subject.accountId, url) })
  return created(parts, id, subject, () => parts.queue.wake(WEBHOOK_KIND))
}

const created = (parts: DeliveryParts, id: string, { accountId }: Subject, announce: () => void): CreatedDelivery => ({
  id,
  committed: () => {
    announce()
    notifyAccount(parts, accountId, id)
  },
})

interface NewDelivery {
  readonly id: string
  readonly subject: Subject
  readonly url: string
  readonly content: PayloadSnapshot | null
}

const CREATE: Pick<RowInsert, 'name' | 'text'> = {
  name: 'create_delivery',
  text: (condition) => `
    insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at,
      attempt, next_attempt_at, state, outcome, finished_at)
    select id, account_id, kind, job_id, url, timestamp, signature, body, created_at, 0, now(),
      case when outcome is null then 'pending' else 'failed' end::webhook_delivery_state, outcome,
      case when outcome is not null then greatest(now(), created_at) end
    from unnest($1::text[], $2::text[], $3::webhook_delivery_kind[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[],
      $9::timestamptz[], $10::text[])
      as made (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, outcome)
    where ${condition} returning id as queued`,
}

export function deliveryInsert({ id, subject, url, content }: NewDelivery, condition = 'true'): RowInsert {
  const { accountId, kind, jobId } = subject
  const { timestamp = 0, signature = '', body = null } = content ?? {}
  const outcome = content === null ? 'secret_unreadable' : null
  return {
    name: CREATE.name,
    text: (inserted) => CREATE.text(`${inserted} and ${condition}`),
    row: [id, accountId, kind, jobId, url, timestamp, signature, body, idTime(id), outcome],
  }
}

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
  isTriedOnce: true,
  text: (condition) =>
    `select ended.*, chosen.id as queued from ended join chosen on chosen.job_id = ended.id where ${condition}`,
  row: [...insert.row, ...end.values(delivered)],
})

/**
 * Sends a webhook about an invented job to the account's URL and returns its id.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST while the account has no URL
 */
export async function sendTestWebhook(ctx: Context & DeliveryParts): Promise<string> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const account = await ctx.db.prisma.account.findUnique({ where: { id: accountId }, select: { webhookUrl: true } })
  const url = account?.webhookUrl ?? null
  if (url === null) throw invalidRequest("Set the account's webhook URL first.")
  const made = await inTransaction(ctx.db, (tx) =>
    createDelivery(ctx, tx, { accountId, kind: 'test', jobId: newId('job', ctx.now()) }, url),
  )
  made.committed()
  return made.id
}
