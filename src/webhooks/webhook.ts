import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { publicIdOf } from '../db/public-id.ts'
import { notFound } from '../errors/service-error.ts'

export interface WebhookSecretView {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

export interface WebhookView {
  readonly url: string | null
  readonly secrets: readonly WebhookSecretView[]
}

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function webhook(ctx: Context): Promise<WebhookView> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const account = await ctx.db.prisma.account.findUnique({
    where: { id: requireAccount(ctx).accountId },
    select: {
      webhookUrl: true,
      webhookSecrets: {
        where: { OR: [{ expiresAt: null }, { expiresAt: { gt: ctx.now() } }] },
        orderBy: { id: 'desc' },
        select: { id: true, publicId: true, createdAt: true, expiresAt: true },
      },
    },
  })
  if (account === null) throw notFound()
  return {
    url: account.webhookUrl,
    secrets: account.webhookSecrets.map(({ createdAt, expiresAt, ...secret }) => ({
      ...{ id: publicIdOf('secret', secret), createdAt, expiresAt },
    })),
  }
}
