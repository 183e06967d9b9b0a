import { notifyAccount } from '../../accounts/notify-account.ts'
import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import { BATCH_WAIT, isHeldUp, limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import { inRetriedTransaction, type Tx } from '../../db/database.ts'
import { isDatabaseDown } from '../../errors/outages.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { Delivery } from '../../queue/job-source.ts'
import type { Queue } from '../../queue/queue.ts'
import type { MeasuredParts, Telemetry } from '../../telemetry/telemetry.ts'
import { type Attempt, type AttemptResult, concurrencyKeyOf, mostAttempts, type Outcome } from './webhook-delivery.ts'

const MAX_BATCH = 200
const SPACING_MS = 16
const LONGEST_WAIT_MS = 250

/** Receivers may send any status, so metrics label only these. */
const STATUSES: ReadonlySet<number> = new Set([
  ...[
    300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 413, 414, 415, 421, 422,
  ],
  ...[
    425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 521, 522, 523, 524, 525, 526, 530,
  ],
])

interface Recorded {
  readonly attempt: Attempt
  readonly result: AttemptResult
  readonly claimed: Delivery
}

/** 'settled': the queue row was deleted with the record. */
export type RecordAttempt = (recorded: Recorded) => Promise<'settled' | 'open'>

/**
 * @param condition checked before the statement locks a row
 * @param unnoted condition on `webhook_attempt`
 */
const noting = (condition: string, unnoted = 'true') => `
with result as (
  select * from unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::int[], $6::int[], $7::bytea[])
    as result (id, round, number, outcome, duration_ms, response_status, response)
  where ${condition}
), noted as (
  update webhook_attempt a
  set outcome = r.outcome, duration_ms = r.duration_ms, response_status = r.response_status, response = r.response
  from result r where a.delivery_id = r.id and a.round = r.round and a.number = r.number and ${unnoted}
  returning r.id, r.round, r.number, r.outcome
)`

/**
 * The cast to text makes the planner use the ids. A success ends the round even if another attempt began, because the receiver has
 * the delivery.
 */
const succeed = (queue: Queue) => `
${noting(limitingLockWaits('$10'))}, dequeued as (${queue.dequeueing(WEBHOOK_KIND, '$8', '$9')})
update webhook_delivery d set state = 'succeeded', outcome = r.outcome, finished_at = greatest(now(), d.created_at)
from result r where d.id = r.id and d.round = r.round and d.state::text = 'pending'`

/**
 * The update repeats round and attempt, so a stale worker changes only its own attempt. A repeated record finds its outcome set and
 * queues no second retry.
 */
const FAIL = `${noting('true', 'a.outcome is null')}
update webhook_delivery d set outcome = r.outcome, next_attempt_at = now() + make_interval(secs => $8),
  state = case when $9 then 'failed'::webhook_delivery_state else 'pending' end, 
  finished_at = case when $9 then greatest(now(), d.created_at) end
from noted r where d.id = r.id and d.round = r.round and d.attempt = r.number and d.state::text = 'pending'`

/** Records successes in batches, and each failure with its retry in one transaction. */
export function openRecordAttempt(
  parts: Pick<Parts, 'db' | 'notifier' | 'queue' | 'settings'> & MeasuredParts,
): RecordAttempt {
  const record = openSuccesses(parts)
  return async (recorded) => {
    const { result } = recorded
    if (result.outcome === 'succeeded') await record(recorded)
    const isLast = result.outcome === 'succeeded' || (await recordFailure(parts, recorded))
    noteAttempt(parts.telemetry, result, isLast)
    notifyAccount(parts, recorded.attempt.accountId, recorded.attempt.deliveryId)
    return result.outcome === 'succeeded' ? 'settled' : 'open'
  }
}

/** If PostgreSQL refuses a batch or a lock blocks it, each row is written alone. */
function openSuccesses({ db, queue }: Pick<Parts, 'db' | 'queue'>): (recorded: Recorded) => Promise<void> {
  const text = succeed(queue)
  const write = async (items: readonly Recorded[], lockWait = BATCH_WAIT) => {
    const claims = [items.map(({ claimed }) => claimed.id), items.map(({ claimed }) => claimed.retryCount)]
    await db.pool.query({ name: 'succeed_attempts', text, values: [...columns(items), ...claims, lockWait] })
  }
  const work = async (items: readonly Recorded[]) => {
    const failure = await write(items).then(
      () => null,
      (error: unknown) => ({ error, isOwn: isHeldUp(error) || (items.length > 1 && !isDatabaseDown(error)) }),
    )
    return items.map(() => failure)
  }
  const options = { spacingMs: SPACING_MS, longestWaitMs: LONGEST_WAIT_MS }
  const batches = new BatchedCalls(MAX_BATCH, work, options)
  return async (recorded) => {
    const failure = await batches.call(recorded)
    if (failure?.isOwn === false) throw failure.error
    if (failure !== null) await outwaitLocks(db, recorded.attempt.accountId, (longest) => write([recorded], longest))
  }
}

async function recordFailure(
  parts: Pick<Parts, 'db' | 'queue' | 'settings'>,
  { attempt, result }: Recorded,
): Promise<boolean> {
  const { webhookRetryDelays: delays } = parts.settings
  const last = attempt.number >= mostAttempts(delays)
  const delaySeconds = last ? 0 : delays[attempt.number - 1]!
  return inRetriedTransaction(parts.db, attempt.accountId, async (tx: Tx) => {
    const values = [...columns([{ attempt, result }]), delaySeconds, last]
    const { rowCount } = await tx.query({ name: 'fail_attempt', text: FAIL, values })
    if (rowCount !== 1) return false
    if (last) return true
    const concurrencyKey = concurrencyKeyOf(attempt.accountId, attempt.url)
    await parts.queue.enqueue(tx, WEBHOOK_KIND, [{ id: attempt.deliveryId, concurrencyKey, delaySeconds }])
    return false
  })
}

function columns(items: readonly Omit<Recorded, 'claimed'>[]): unknown[] {
  return [
    items.map(({ attempt }) => attempt.deliveryId),
    items.map(({ attempt }) => attempt.round),
    items.map(({ attempt }) => attempt.number),
    items.map(({ result }) => result.outcome),
    items.map(({ result }) => Math.round(result.durationMs)),
    items.map(({ result }) => result.responseStatus),
    items.map(({ result }) => result.response),
  ]
}

const labelOf = (outcome: Outcome): string =>
  outcome.startsWith('status_') && !STATUSES.has(Number(outcome.slice('status_'.length))) ? 'status_other' : outcome

/**
 * Call it after the commit.
 * @param isLast whether the attempt ended its delivery
 */
function noteAttempt(
  telemetry: Telemetry,
  { outcome, durationMs }: { readonly outcome: Outcome; readonly durationMs: number },
  isLast: boolean,
): void {
  telemetry.observe('webhook_attempt_duration_seconds', { outcome: labelOf(outcome) }, durationMs / 1000)
  if (isLast) noteEndedDelivery(telemetry, outcome)
}

export function noteEndedDelivery(telemetry: Telemetry, outcome: Outcome): void {
  telemetry.count('webhook_deliveries_total', { outcome: labelOf(outcome) })
}
