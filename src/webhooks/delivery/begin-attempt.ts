import { BatchedCalls, dealOut } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import type { Database } from '../../db/database.ts'
import { isDatabaseDown } from '../../errors/outages.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { idTime } from '../../values/id.ts'
import type { SignedHeaders } from '../signing.ts'
import { FRESH_SECONDS, LATEST_START_SECONDS, LEASE_SECONDS, mostAttempts } from './webhook-delivery.ts'

const MAX_BATCH = 100
const BATCHES = { longestWaitMs: 250, isOfOne: (error: unknown) => !isDatabaseDown(error) }

/** Every write repeats round and number. */
export interface Attempt {
  readonly deliveryId: string
  readonly accountId: string
  readonly url: string
  readonly headers: SignedHeaders
  readonly body: Buffer
  readonly round: number
  readonly number: number
}

interface BegunRow {
  id: string
  account_id: string
  url: string
  timestamp: string
  signature: string
  body: Buffer
  round: number
  attempt: number
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
select * from begun`

export type BeginAttempt = (deliveryId: string) => Promise<Attempt | null>

/** Returns null if the delivery must not be sent now. */
export function openBeginAttempt({ db, settings }: Pick<Parts, 'db' | 'settings'>): BeginAttempt {
  const most = mostAttempts(settings.webhookRetryDelays)
  const begins = new BatchedCalls(MAX_BATCH, (ids: readonly string[]) => begin(db, ids, most), BATCHES)
  return (deliveryId) => begins.call(deliveryId)
}

export function noteLag(
  { now, telemetry }: Pick<Parts, 'now'> & MeasuredParts,
  { deliveryId, round, number }: Attempt,
): void {
  if (round > 1 || number > 1) return
  telemetry.observe('webhook_first_attempt_lag_seconds', {}, (now().getTime() - idTime(deliveryId).getTime()) / 1000)
}

async function begin(db: Database, ids: readonly string[], most: number): Promise<(Attempt | null)[]> {
  const { rows } = await db.pool.query<BegunRow>({ name: 'begin_attempts', text: BEGIN, values: [ids, most] })
  const begun = new Map(rows.map((row) => [row.id, toAttempt(row)]))
  return dealOut(ids, begun).map((attempt) => attempt ?? null)
}

const toAttempt = (row: BegunRow): Attempt => ({
  deliveryId: row.id,
  accountId: row.account_id,
  url: row.url,
  headers: { id: row.id, timestamp: row.timestamp, signature: row.signature },
  body: row.body,
  round: row.round,
  number: row.attempt,
})
