import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { recordChange } from '../../audit/record-change.ts'
import type { Context } from '../../context/context.ts'
import { wherePublicId } from '../../db/public-id.ts'
import { sqlIn } from '../../db/sql.ts'
import { invalidRequest, unknownId } from '../../errors/service-error.ts'

/**
 * Erases the older of two signing secrets.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for other accounts' secrets), INVALID_REQUEST for the newest
 */
export async function expireWebhookSecret(ctx: Context, input: { readonly id: string }): Promise<void> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const secret = wherePublicId('secret', input.id)
  if (secret === null) throw unknownId('signing secret')
  const isStopped = await ctx.db.prisma.$transaction(async (tx) => {
    const { count } = await tx.webhookSecret.deleteMany({ where: { ...secret, accountId, expiresAt: { not: null } } })
    if (count === 1) await recordChange(sqlIn(tx), ctx.actor, { action: 'webhook_secret_expired', accountId })
    return count === 1
  })
  if (isStopped) return
  const known = await ctx.db.prisma.webhookSecret.findFirst({ where: { ...secret, accountId }, select: { id: true } })
  if (known === null) throw unknownId('signing secret')
  const details = [{ path: '/id', message: 'is the newest secret' }]
  throw invalidRequest('Rotate the secret first: the newest one has to sign.', details)
}
