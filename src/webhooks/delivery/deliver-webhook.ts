import { notifyAccount } from '../../accounts/notify-account.ts'
import { KeyedLimiter } from '../../concurrency/keyed-limiter.ts'
import { inTransaction } from '../../db/database.ts'
import { untilAnswered } from '../../db/until-answered.ts'
import { type Resolver, sharedResolver, systemResolver } from '../../egress/resolver.ts'
import { dispatchJobs } from '../../queue/dispatch-jobs.ts'
import type { Dispatcher, DispatchOptions } from '../../queue/dispatcher.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { Delivery } from '../../queue/job-source.ts'
import { deliverySpan } from '../../telemetry/span-names.ts'
import { inClientSpan, noteFailure, noteStatus } from '../../telemetry/spans.ts'
import { followReceivers } from '../local-receivers.ts'
import { type DeliveryParts, snapshotPayload } from '../payload-snapshot.ts'
import { AttemptGate } from './attempt-gate.ts'
import { type Attempt, type BeginAttempt, noteLag, openBeginAttempt } from './begin-attempt.ts'
import { openPoster, type Poster } from './post-webhook.ts'
import { type AttemptResult, noteEndedDelivery, openRecordAttempt, type RecordAttempt } from './record-attempt.ts'
import {
  type DeliveryKind,
  type DeliveryState,
  FRESH_SECONDS,
  LATEST_START_SECONDS,
  mostAttempts,
  type Outcome,
} from './webhook-delivery.ts'

const AT_ONCE = { perAccount: 64, perReceiver: 16 }
const HELD = { perAccount: 768, perReceiver: 384 }
const ON_PROBATION = { perAccount: 128, perKey: 32 }
/** As many attempts may wait, so a hanging receiver takes no slot. */
const SLOTS = 2048

interface AttemptParts extends DeliveryParts {
  readonly gate: AttemptGate
  readonly beginAttempt: BeginAttempt
  readonly recordAttempt: RecordAttempt
  readonly post: Poster['post']
}

interface Sent {
  readonly attempt: Attempt
  readonly result: AttemptResult
}

type WebhookWorkerParts = DeliveryParts & Pick<DispatchOptions, 'queue' | 'boss' | 'workerId'>

export interface WebhookWorker {
  isBusy(): boolean
  stop(): Promise<void>
}

/**
 * Makes and records one attempt; a second run is harmless. Resolves with 'settled' if it removed the delivery.
 * @throws if the database is down or another attempt may be under way
 */
async function deliverWebhook(
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
    const content = await snapshotPayload(parts, tx, deliveryId, { accountId, kind, jobId })
    if (content === null) return 'unreadable'
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

export async function startWebhookWorker(runtime: WebhookWorkerParts, resolver?: Resolver): Promise<WebhookWorker> {
  const guard = {
    resolver: sharedResolver(resolver ?? systemResolver()),
    egressAllow: runtime.settings.egressAllow,
    receivers: await followReceivers(runtime.notifier),
  }
  let dispatcher: Dispatcher | undefined
  const gate = new AttemptGate({ ...AT_ONCE, onResponsive: () => limiter.hasReopened() && dispatcher?.poll() })
  const limiter = new KeyedLimiter(HELD, { ...ON_PROBATION, isResponsive: (key) => gate.isResponsive(key) })
  const poster = openPoster(guard)
  const parts = {
    ...runtime,
    gate,
    beginAttempt: openBeginAttempt(runtime),
    recordAttempt: openRecordAttempt(runtime),
    post: poster.post,
  }
  dispatcher = await dispatchJobs({
    ...runtime,
    kind: WEBHOOK_KIND,
    slots: () => SLOTS + Math.min(SLOTS, gate.waiting),
    limiter,
    handle: (_id, signal, claimed) => deliverWebhook(parts, claimed, signal),
  })
  return {
    isBusy: () => dispatcher.inFlight > 0,
    stop: async () => {
      gate.close()
      await dispatcher.stop(runtime.settings.shutdownSeconds * 1000)
      await poster.close()
    },
  }
}
