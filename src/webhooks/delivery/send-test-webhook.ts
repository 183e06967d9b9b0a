import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { newId } from '../../values/id.ts'
import type { DeliveryParts } from '../payload-snapshot.ts'
import { createDelivery } from './create-delivery.ts'

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
