import { notifyAccount } from '../../accounts/notify-account.ts'
import { BatchedCalls, takeRows } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { untilAnswered } from '../../db/until-answered.ts'
import { isDatabaseDown } from '../../errors/outages.ts'
import type { Delivery } from '../../queue/job-source.ts'
import { deliverySpan } from '../../telemetry/span-names.ts'
import { inClientSpan, noteFailure, noteStatus } from '../../telemetry/spans.ts'
import { idTime } from '../../values/id.ts'
import { type DeliveryParts, snapshotPayloads } from '../payload-snapshot.ts'
import type { AttemptGate } from './attempt-gate.ts'
import type { Poster } from './post-webhook.ts'
import { noteEndedDelivery, type RecordAttempt } from './record-attempt.ts'
import {
  type Attempt,
  type AttemptResult,
  type DeliveryKind,
  type DeliveryState,
  FRESH_SECONDS,
  LATEST_START_SECONDS,
  LEASE_SECONDS,
  mostAttempts,
  type Outcome,
} from './webhook-delivery.ts'

const MAX_BATCH = 100
const BATCHES = { longestWaitMs: 250, isOfOne: (error: unknown) => !isDatabaseDown(error) }

interface AttemptParts extends DeliveryParts {
  readonly gate: AttemptGate
  readonly beginAttempt: BeginAttempt
  readonly recordAttempt: RecordAttempt
  readonly post: Poster['post']
}

type BegunRow = Omit<Attempt, 'headers'> & { readonly timestamp: string; readonly signature: string }

interface Sent {
  readonly attempt: Attempt
  readonly result: AttemptResult
}

/**
 * Makes and records one attempt; a second run is harmless. Resolves with 'settled' if it removed the delivery.
 * @throws if the database is down or another attempt may be under way
 */
export async function deliverWebhook(
  parts: AttemptParts,
  claimed: Delivery,
  signal: AbortSignal,
): Promise<'settled' | 'open'> {
  const { jobId: deliveryId, concurrencyKey = '' } = claimed
  // The receiver's next delivery does not wait for this record.
  const sent = await parts.gate.pass(concurrencyKey, signal, async (): Promise<Sent | null> => {
    const attempt = (await parts.beginAttempt(deliveryId)) ?? (await beginAfterAll(parts, deliveryId))
    return attempt === null ? null : { attempt, result: await send(parts, attempt, signal) }
  })
  if (sent === null) return 'open'
  const { attempt, result } = sent
  if (result.outcome !== 'succeeded') {
    parts.log.info({ deliveryId, attempt: attempt.number, outcome: result.outcome }, 'a webhook delivery failed')
  }
  // A receiver must not get a delivery twice, so its record is retried longer.
  const budgetMs = result.outcome === 'succeeded' ? LATEST_START_SECONDS * 1000 : undefined
  return untilAnswered(() => parts.recordAttempt({ attempt, result, claimed }), budgetMs)
}

/**
 * Counts the attempt before its first byte, so a crash costs at most one. The lease blocks a second delivery. A search by state
 * would read all pending rows.
 */
const BEGIN = `
with locked as (
  select id, state, attempt, next_attempt_at, timestamp from webhook_delivery
  where id = any($1) order by id for update skip locked
), due as (
  select id from locked
  where state = 'pending' and attempt < $2 and next_attempt_at <= now()
    and timestamp > extract(epoch from now()) - case when attempt = 0 then ${FRESH_SECONDS} else ${LATEST_START_SECONDS} end
), begun as (
  update webhook_delivery d set attempt = attempt + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
  from due where d.id = due.id
  returning d.id, d.account_id, d.url, d.timestamp, d.signature, d.body, d.round, d.attempt
), noted as (
  insert into webhook_attempt (delivery_id, round, number, started_at) select id, round, attempt, now() from begun
)
select id as "deliveryId", account_id as "accountId", url, timestamp, signature, body, round, attempt as number from begun`

type BeginAttempt = (deliveryId: string) => Promise<Attempt | null>

/** Returns null if the delivery must not be sent now. */
export function openBeginAttempt({ db, settings }: Pick<Parts, 'db' | 'settings'>): BeginAttempt {
  const most = mostAttempts(settings.webhookRetryDelays)
  const begins = new BatchedCalls(MAX_BATCH, (ids: readonly string[]) => begin(db, ids, most), BATCHES)
  return (deliveryId) => begins.call(deliveryId)
}

async function begin(db: Database, ids: readonly string[], most: number): Promise<(Attempt | null)[]> {
  const { rows } = await db.pool.query<BegunRow>({ name: 'begin_attempts', text: BEGIN, values: [ids, most] })
  const begun = new Map(rows.map((row) => [row.deliveryId, toAttempt(row)]))
  return takeRows(ids, begun).map((attempt) => attempt ?? null)
}

const toAttempt = ({ timestamp, signature, ...row }: BegunRow): Attempt => ({
  ...row,
  headers: { id: row.deliveryId, timestamp, signature },
})

interface Row {
  account_id: string
  kind: DeliveryKind
  job_id: string
  state: DeliveryState
  attempt: number
  round: number
  age_seconds: number
  due: boolean
}

/** Returns null if nothing is left to do. */
async function beginAfterAll(parts: AttemptParts, deliveryId: string): Promise<Attempt | null> {
  const { rows } = await parts.db.pool.query<Row>({
    name: 'idle_delivery',
    text: `select account_id, kind, job_id, state, attempt, round, next_attempt_at <= now() as due,
             (extract(epoch from now()) - timestamp)::float8 as age_seconds
           from webhook_delivery where id = $1`,
    values: [deliveryId],
  })
  const row = rows[0]
  if (row === undefined || row.state !== 'pending') return null
  if (!row.due) throw new Error('another attempt may still be under way')
  if (row.attempt >= mostAttempts(parts.settings.webhookRetryDelays))
    return giveUp(parts, deliveryId, row, 'interrupted')
  if (row.attempt > 0 && row.age_seconds >= LATEST_START_SECONDS) return giveUp(parts, deliveryId, row, 'expired')
  if (row.attempt === 0 && row.age_seconds >= FRESH_SECONDS && !(await resignDelivery(parts, deliveryId, row)))
    return null
  const attempt = await parts.beginAttempt(deliveryId)
  if (attempt === null) throw new Error('another worker has begun it')
  return attempt
}

async function giveUp(parts: DeliveryParts, deliveryId: string, row: Row, outcome: Outcome): Promise<null> {
  const { rowCount } = await parts.db.pool.query(
    `update webhook_delivery set state = 'failed', outcome = $4, finished_at = greatest(now(), created_at)
     where id = $1 and round = $2 and attempt = $3 and state = 'pending'`,
    [deliveryId, row.round, row.attempt, outcome],
  )
  if (rowCount === 1) {
    noteEndedDelivery(parts.telemetry, outcome)
    notifyAccount(parts, row.account_id, deliveryId)
  }
  return null
}

/**
 * Signs an old unsent delivery again. It gives up outside the transaction, because nested connections could exhaust the pool.
 * @returns false if nothing is left to send
 */
async function resignDelivery(parts: DeliveryParts, deliveryId: string, row: Row): Promise<boolean> {
  const { account_id: accountId, kind, job_id: jobId, round } = row
  const signed = await inTransaction(parts.db, async (tx) => {
    const [content] = await snapshotPayloads(parts, tx, [{ id: deliveryId, accountId, kind, jobId }])
    if (content == null) return 'unreadable'
    const { rowCount } = await tx.query(
      `update webhook_delivery set timestamp = $3, signature = $4, body = $5
       where id = $1 and round = $2 and attempt = 0 and state = 'pending'`,
      [deliveryId, round, content.timestamp, content.signature, content.body],
    )
    return rowCount === 1
  })
  if (signed !== 'unreadable') return signed
  await giveUp(parts, deliveryId, row, 'secret_unreadable')
  return false
}

const send = (parts: AttemptParts, attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> =>
  inClientSpan(
    () => deliverySpan(attempt.url),
    async () => {
      noteLag(parts, attempt)
      const result = await parts.post(attempt, signal)
      if (result.responseStatus !== null) noteStatus(result.responseStatus)
      if (result.outcome !== 'succeeded') noteFailure(result.outcome)
      return result
    },
  )

function noteLag(
  { now, telemetry }: Pick<DeliveryParts, 'now' | 'telemetry'>,
  { deliveryId, round, number }: Attempt,
): void {
  if (round > 1 || number > 1) return
  telemetry.observe('webhook_first_attempt_lag_seconds', {}, (now().getTime() - idTime(deliveryId).getTime()) / 1000)
}
