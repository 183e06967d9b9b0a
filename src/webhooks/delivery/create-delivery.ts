import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Context } from '../../context/context.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { InScope } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import { type DeliveryParts, type PayloadSnapshot, type Subject, snapshotPayloads } from '../payload-snapshot.ts'
import { noteEndedDelivery } from './record-attempt.ts'
import { concurrencyKeyOf } from './webhook-delivery.ts'

const UNREADABLE = 'secret_unreadable'

const CREATE = `
  insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at,
    attempt, next_attempt_at, state, outcome, finished_at)
  select id, account_id, kind, job_id, url, timestamp, signature, body, created_at, 0, now(),
    case when outcome is null then 'pending' else 'failed' end::webhook_delivery_state, outcome,
    case when outcome is not null then greatest(now(), created_at) end
  from unnest($1::text[], $2::text[], $3::webhook_delivery_kind[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[],
    $9::timestamptz[], $10::text[])
    as made (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, outcome)`

interface Receiver extends Omit<Subject, 'id'> {
  readonly url: string
  readonly inScope?: InScope | undefined
}

interface CreatedDeliveries {
  readonly ids: readonly string[]
  /** The caller calls it after the commit. */
  announce(): void
}

/** Creates and queues deliveries in the transaction that ended their jobs. */
export async function createDeliveries(
  parts: DeliveryParts,
  tx: Tx,
  receivers: readonly Receiver[],
): Promise<CreatedDeliveries> {
  const made = receivers.map((receiver) => ({ ...receiver, id: newId('msg', parts.now()) }))
  const contents = await snapshotPayloads(parts, tx, made)
  await tx.query({ name: 'create_deliveries', text: CREATE, values: columnsOf(made, contents) })
  const sent = made.filter((_one, nth) => contents[nth] !== null)
  const jobs = sent.map(({ id, accountId, url, inScope }) => {
    return { id, concurrencyKey: concurrencyKeyOf(accountId, url), inScope }
  })
  await parts.queue.enqueue(tx, WEBHOOK_KIND, jobs)
  return {
    ids: made.map(({ id }) => id),
    announce: () => {
      if (jobs.length > 0) parts.queue.wake(WEBHOOK_KIND)
      for (const { id, accountId } of made) notifyAccount(parts, accountId, id)
      for (const content of contents) if (content === null) noteEndedDelivery(parts.telemetry, UNREADABLE)
    },
  }
}

function columnsOf(
  made: readonly (Subject & { readonly url: string })[],
  contents: readonly (PayloadSnapshot | null)[],
): unknown[] {
  return [
    made.map(({ id }) => id),
    made.map(({ accountId }) => accountId),
    made.map(({ kind }) => kind),
    made.map(({ jobId }) => jobId),
    made.map(({ url }) => url),
    contents.map((content) => content?.timestamp ?? 0),
    contents.map((content) => content?.signature ?? ''),
    contents.map((content) => content?.body ?? null),
    made.map(({ id }) => idTime(id)),
    contents.map((content) => (content === null ? UNREADABLE : null)),
  ]
}

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
    createDeliveries(ctx, tx, [{ accountId, kind: 'test', jobId: newId('job', ctx.now(), ctx.settings.cell), url }]),
  )
  made.announce()
  return made.ids[0]!
}
