import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { newWebhookSecret } from '../../accounts/new-webhook-secret.ts'
import { recordChange } from '../../audit/record-change.ts'
import type { Context } from '../../context/context.ts'
import { lockRow } from '../../db/lock-row.ts'
import { sqlIn } from '../../db/sql.ts'
import { newId } from '../../values/id.ts'
import type { SigningParts } from './signing-secrets.ts'
import { OVERLAP_MS, writeWebhookSecret } from './webhook-secret.ts'

/**
 * Issues a signing secret and returns it once. The previous one signs for 24 hours more; older ones are erased.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function rotateWebhookSecret(ctx: Context & SigningParts): Promise<string> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const secret = newWebhookSecret()
  const sealed = ctx.vault.seal(accountId, secret)
  await ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'account', accountId)
    await tx.webhookSecret.deleteMany({ where: { accountId, expiresAt: { not: null } } })
    const expiresAt = new Date(ctx.now().getTime() + OVERLAP_MS)
    await tx.webhookSecret.updateMany({ where: { accountId }, data: { expiresAt } })
    await tx.webhookSecret.create({
      data: { accountId, sealed, publicId: newId('secret', ctx.now()) },
      select: { id: true },
    })
    await recordChange(sqlIn(tx), ctx.actor, { action: 'webhook_secret_rotated', accountId })
  })
  return writeWebhookSecret(secret)
}
