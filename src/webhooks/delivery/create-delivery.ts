import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Tx } from '../../db/database.ts'
import type { MadeDelivery } from '../../jobs/lifecycle/job-end.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { RowInsert } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import { type DeliveryParts, type PayloadSnapshot, type Subject, snapshotPayload } from '../payload-snapshot.ts'
import { noteEndedDelivery } from './note-attempt.ts'
import { concurrencyKeyOf } from './webhook-delivery.ts'

export interface CreatedDelivery extends MadeDelivery {
  readonly id: string
}

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
