import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { addSecret } from '../../accounts/add-webhook-secret.ts'
import type { Context } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { lockAccount, type SigningParts } from './signing-secrets.ts'
import { OVERLAP_SECONDS, writeWebhookSecret } from './webhook-secret.ts'

/**
 * Issues a new signing secret and returns it, this once. The one before it goes on signing for 24 hours; one older than that
 * stops at once and is erased. Rotations at the same time happen one after the other.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function rotateWebhookSecret(ctx: Context & SigningParts): Promise<string> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  return inTransaction(ctx.db, async (tx) => {
    await lockAccount(tx, accountId)
    await tx.query('delete from webhook_secret where account_id = $1 and expires_at is not null', [accountId])
    await tx.query('update webhook_secret set expires_at = now() + make_interval(secs => $2) where account_id = $1', [
      accountId,
      OVERLAP_SECONDS,
    ])
    return writeWebhookSecret(await addSecret(ctx, tx, accountId))
  })
}
