import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import type { RowQuery } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { checkWebhookUrl } from '../egress/check-webhook-url.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { webhook } from './webhook.ts'

/**
 * Sets the account's default webhook URL. Only an explicit null clears it, so a forgotten variable cannot. Existing deliveries keep
 * their URL.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function setWebhookUrl(
  ctx: Context,
  input: { readonly url?: string | null | undefined; readonly query?: RowQuery },
): ReturnType<typeof webhook> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { url } = input
  if (url === undefined)
    throw invalidRequest('Send a URL, or null to clear it.', [{ path: '/url', message: 'is missing' }])
  const message = url === null ? null : checkWebhookUrl(url, ctx.settings.egressAllow)
  if (message !== null) throw invalidRequest(`The URL ${message}.`, [{ path: '/url', message }])
  await ctx.db.prisma.$transaction(async (tx) => {
    await tx.account.update({ where: { id: accountId }, data: { webhookUrl: url }, select: { id: true } })
    // The path may contain a receiver's secret.
    const detail = url === null ? null : new URL(url).origin
    await recordChange(sqlIn(tx), ctx.actor, { action: 'webhook_url_set', accountId, detail })
  })
  return webhook(ctx, input)
}
