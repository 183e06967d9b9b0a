import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Context } from '../../context/context.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { invalidRequest, unknownId } from '../../errors/service-error.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { isId } from '../../values/id.ts'
import { concurrencyKeyOf, type DeliveryState } from './webhook-delivery.ts'

const KEPT_ROUNDS = 10

interface Row {
  state: DeliveryState
  url: string
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
    await ctx.queue.enqueue(tx, WEBHOOK_KIND, input.id, { concurrencyKey: concurrencyKeyOf(accountId, row.url) })
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
