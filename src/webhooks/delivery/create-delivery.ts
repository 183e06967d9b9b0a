import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Tx } from '../../db/database.ts'
import { wroteNothing } from '../../errors/database-down.ts'
import type { MadeDelivery } from '../../jobs/lifecycle/job-end.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { EnqueueOptions, RowInsert } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import { type DeliveryParts, type PayloadSnapshot, type Subject, snapshotPayload } from '../payload-snapshot.ts'
import type { BegunRow } from './begin-attempt.ts'
import { noteEndedDelivery } from './note-attempt.ts'
import { concurrencyKeyOf, LEASE_SECONDS } from './webhook-delivery.ts'

/** Of a subject: its attempt is begun apart, as what holds that up holds up nothing else. */
interface Begun {
  readonly isBegunLater?: boolean
}

/** A delivery that is there once its transaction is committed. */
export interface CreatedDelivery extends MadeDelivery {
  readonly id: string
}

/**
 * Creates the delivery of a job that `tx` just ended, with the snapshot of its payload, and queues it, all in that transaction: it is
 * there if and only if the terminal state is. Where this process would attempt it at once, it is created with that attempt begun.
 */
export async function createDelivery(
  parts: DeliveryParts,
  tx: Tx,
  subject: Subject & Begun,
  url: string,
): Promise<CreatedDelivery> {
  const id = newId('msg', parts.now())
  const content = await snapshotPayload(parts, tx, id, subject)
  if (content === null) {
    const { name, text, row } = insertOf(CREATE, { id, subject, url, content })
    await tx.query({ name, text: text('true'), values: row.map((value) => [value]) })
    const committed = () => noteEndedDelivery(parts.telemetry, 'secret_unreadable')
    return { id, ...settledBy(committed, () => notifyAccount(parts, subject.accountId, id)) }
  }
  const write = (insert: RowInsert, options: EnqueueOptions) =>
    parts.queue.enqueue(tx, insert, WEBHOOK_KIND, id, options)
  return (await queueDelivery(parts, { id, subject, url, content }, write)).delivery
}

interface NewDelivery {
  readonly id: string
  readonly subject: Subject & Begun
  readonly url: string
  /** null: it cannot be signed. */
  readonly content: PayloadSnapshot | null
}

interface Making extends NewDelivery {
  readonly content: PayloadSnapshot
}

/** A delivery that was queued, and the answer to its insertion. */
interface QueuedDelivery<Answer> {
  readonly delivery: CreatedDelivery
  readonly answer: Answer
  /** Instead of `committed` and `abandoned`: by the answer, there is no such delivery. */
  notChosen(): void
}

/**
 * @param write sends the insertion, on its own or as part of a larger statement
 * @param condition on the `id` of the delivery, in that statement
 */
export async function queueDelivery<Answer>(
  parts: DeliveryParts,
  making: Making,
  write: (insert: RowInsert, options: EnqueueOptions) => Promise<Answer>,
  condition = 'true',
): Promise<QueuedDelivery<Answer>> {
  const { id, subject, url, content } = making
  const concurrencyKey = concurrencyKeyOf(subject.accountId, url)
  const reservation = subject.isBegunLater ? null : parts.queue.reserve(WEBHOOK_KIND, id, { concurrencyKey })
  const insert = insertOf(reservation === null ? CREATE : CREATE_BEGUN, making, condition)
  const begun = begunRow(id, subject, url, content)
  const abandoned = () => reservation?.giveUp(begun)
  const options = { concurrencyKey, ...(reservation !== null && { reservation }) }
  let answer: Answer
  try {
    answer = await write(insert, options)
  } catch (error) {
    if (wroteNothing(error)) reservation?.drop()
    else abandoned()
    throw error
  }
  const after = () => notifyAccount(parts, subject.accountId, id)
  const committed = () => (reservation === null ? parts.queue.wake(WEBHOOK_KIND) : reservation.begin(begun))
  return { delivery: { id, ...settledBy(committed, after), abandoned }, answer, notChosen: () => reservation?.drop() }
}

function begunRow(id: string, { accountId }: Subject, url: string, content: PayloadSnapshot): BegunRow {
  const { body, signature, timestamp } = content
  return { id, account_id: accountId, url, body, signature, timestamp: String(timestamp), round: 1, attempt: 1 }
}

const settledBy = (committed: () => void, after: () => void): MadeDelivery => ({
  committed: () => {
    committed()
    after()
  },
  abandoned: () => undefined,
})

interface Insert extends Pick<RowInsert, 'name' | 'text'> {
  with?(condition: string): string
}

const insertion = (attempt: number, nextAttemptAt: string) => (condition: string) =>
  `
    insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at,
      attempt, next_attempt_at, state, outcome, finished_at)
    select id, account_id, kind, job_id, url, timestamp, signature, body, created_at, ${attempt}, ${nextAttemptAt},
      case when outcome is null then 'pending' else 'failed' end::webhook_delivery_state, outcome,
      case when outcome is not null then greatest(now(), created_at) end
    from unnest($1::text[], $2::text[], $3::webhook_delivery_kind[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[],
      $9::timestamptz[], $10::text[])
      as made (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, outcome)
    where ${condition}`

const CREATE: Insert = { name: 'create_delivery', text: insertion(0, 'now()') }

/** With its first attempt, by the clock of then: the transaction may have waited. */
const CREATE_BEGUN: Insert = {
  name: 'create_begun_delivery',
  with: (condition) => `begun as (
    insert into webhook_attempt (delivery_id, round, number, started_at) select id, 1, 1, clock_timestamp() from unnest($1::text[]) as id
    where ${condition}
  )`,
  text: insertion(1, `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`),
}

function insertOf(insert: Insert, { id, subject, url, content }: NewDelivery, condition = 'true'): RowInsert {
  const { accountId, kind, jobId } = subject
  const { timestamp = 0, signature = '', body = null } = content ?? {}
  const outcome = content === null ? 'secret_unreadable' : null
  return {
    name: insert.name,
    text: (inserted) => insert.text(`${inserted} and ${condition}`),
    row: [id, accountId, kind, jobId, url, timestamp, signature, body, idTime(id), outcome],
    ...(insert.with !== undefined && { with: insert.with(condition) }),
  }
}
