import { requireAccount, requireOperator, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { notifyAccount } from '../../accounts/notify-account.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { invalidRequest, ServiceError, unknownId } from '../../errors/service-error.ts'
import { type Each, eachId } from '../../jobs/each-id.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { isId } from '../../values/id.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from '../webhook-deliveries.ts'
import { concurrencyKeyOf, type DeliveryState } from './webhook-delivery.ts'

const KEPT_ROUNDS = 10
export const MAX_DELIVERIES = 200
const AT_ONCE = 4

interface Row {
  state: DeliveryState
  url: string
}

export interface Redelivery {
  readonly sent: readonly string[]
  readonly deliveries: number
  /** True if more deliveries match; continue after `last`. */
  readonly more: boolean
  /** The newest delivery examined; null if none matches or the caller named ids. */
  readonly last: string | null
  readonly results: readonly Each<string>[] | null
}

export interface RedeliveryInput {
  readonly ids?: readonly string[] | null | undefined
  readonly filter?: DeliveriesFilter | null | undefined
  readonly after?: string | null | undefined
}

/**
 * Sends a finished delivery again with the same id, a fresh timestamp, signature and URLs. The worker signs it, so callers need no
 * secrets.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST while it is still being delivered
 */
export async function redeliverWebhook(ctx: Context, input: { readonly id: string }): Promise<string> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  await inTransaction(ctx.db, async (tx) => {
    const row = isId('msg', input.id) ? await findDelivery(tx, input.id, accountId) : undefined
    if (row === undefined) throw unknownId('delivery')
    if (row.state === 'pending') {
      const details = [{ path: '/id', message: 'is a delivery that is still under way' }]
      throw invalidRequest('Wait until this delivery has succeeded or failed.', details)
    }
    await tx.query(
      `update webhook_delivery set url = $2, timestamp = 0, signature = '', body = null, round = round + 1, attempt = 0,
         state = 'pending', outcome = null, finished_at = null, next_attempt_at = now()
       where id = $1`,
      [input.id, row.url],
    )
    await tx.query(
      `delete from webhook_attempt a using webhook_delivery d
       where d.id = $1 and a.delivery_id = d.id and a.round <= d.round - ${KEPT_ROUNDS}`,
      [input.id],
    )
    const concurrencyKey = concurrencyKeyOf(accountId, row.url)
    await ctx.queue.enqueue(tx, WEBHOOK_KIND, [{ id: input.id, concurrencyKey }])
  })
  ctx.queue.wake(WEBHOOK_KIND)
  notifyAccount(ctx, accountId, input.id)
  return input.id
}

/**
 * Locks the job before the delivery, so that `eraseJobs` deletes both or neither. A concurrent redelivery waits and finds this one
 * pending.
 */
async function findDelivery(tx: Tx, id: string, accountId: string): Promise<Row | undefined> {
  await tx.query(
    'select from job where id = (select job_id from webhook_delivery where id = $1 and account_id = $2) for key share',
    [id, accountId],
  )
  const { rows } = await tx.query<Row>(
    `select d.state, coalesce(j.webhook_url, a.webhook_url, d.url) as url
     from webhook_delivery d join account a on a.id = d.account_id left join job j on j.id = d.job_id
     where d.id = $1 and d.account_id = $2 for update of d`,
    [id, accountId],
  )
  return rows[0]
}

/**
 * Redelivers up to 200 matching deliveries, oldest first; failed ones unless the filter names states. Each id succeeds or fails alone.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED if its reads take too long
 */
export async function redeliverWebhooks(ctx: Context, input: RedeliveryInput): Promise<Redelivery> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  if (input.ids != null) return redeliverEach(ctx, input, input.ids)
  rejectDeliveryViolations(input.filter ?? {}, '/filter')
  const filter: DeliveriesFilter = { ...input.filter, states: input.filter?.states ?? ['failed'] }
  const found = await findFinished(ctx, accountId, filter, afterOf(input))
  const ids = found.slice(0, MAX_DELIVERIES)
  const areSent = await inParallel(ids, AT_ONCE, (id) => isSentAgain(ctx, id))
  const sent = ids.filter((_id, index) => areSent[index])
  return { sent, deliveries: sent.length, more: found.length > MAX_DELIVERIES, last: ids.at(-1) ?? null, results: null }
}

async function redeliverEach(ctx: Context, input: RedeliveryInput, ids: readonly string[]): Promise<Redelivery> {
  if (input.filter != null || input.after != null)
    throw invalidRequest('Invalid arguments: see `details`.', [
      { path: '/ids', message: 'cannot stand with `filter` or `after`' },
    ])
  const results = await eachId(ctx, ids, (id) => redeliverWebhook(ctx, { id }))
  const sent = results.flatMap(({ result }) => result ?? [])
  return { sent, deliveries: sent.length, more: false, last: null, results }
}

function afterOf({ after }: RedeliveryInput): string | null {
  if (after == null) return null
  if (!isId('msg', after))
    throw invalidRequest('Invalid arguments: see `details`.', [{ path: '/after', message: 'must be a webhook-id' }])
  return after
}

async function findFinished(ctx: Context, accountId: string, filter: DeliveriesFilter, after: string | null) {
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    ofAccount('$1', 'd.'),
    `d.state <> 'pending'`,
    ...(after === null ? [] : [`d.id > ${parameter(after)}`]),
    ...deliveryConditions(filter, parameter),
  ]
  const text = `select d.id from webhook_delivery d
    where ${conditions.join(' and ')} order by ${idsOfAccount('asc', 'd.')} limit ${MAX_DELIVERIES + 1}`
  const { rows } = await longRead<{ id: string }>(ctx.db, accountId, { text, values })
  return rows.map(({ id }) => id)
}

async function isSentAgain(ctx: Context, id: string): Promise<boolean> {
  try {
    await redeliverWebhook(ctx, { id })
    return true
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'INVALID_REQUEST' || error.code === 'NOT_FOUND')) return false
    throw error
  }
}

/**
 * Returns the account id of a delivery, for the operator.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function deliveryOwner(ctx: Context, { id }: { readonly id: string }): Promise<string> {
  requireOperator(ctx)
  const found = isId('msg', id)
    ? await ctx.db.prisma.webhookDelivery.findUnique({ where: { id }, select: { accountId: true } })
    : null
  if (found === null) throw new ServiceError('NOT_FOUND', `No delivery with the id "${id}".`)
  return found.accountId
}
