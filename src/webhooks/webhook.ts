import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { notFound } from '../errors/service-error.ts'

export const WEBHOOK_VIEW = { id: true, webhookUrl: true } as const

type Webhook = Prisma.AccountGetPayload<{ select: typeof WEBHOOK_VIEW }>

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function webhook(ctx: Context, input?: { readonly query?: RowQuery }): Promise<Webhook> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const found = await ctx.db.prisma.account.findUnique({
    where: { id: requireAccount(ctx).accountId },
    select: selectOf(WEBHOOK_VIEW, input?.query),
  })
  if (found === null) throw notFound()
  return found
}

/** Selects the secrets that sign now, newest first. */
export const signingSecretsNow = ({ now }: Pick<Context, 'now'>) => ({
  where: { OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }] },
  orderBy: { id: 'desc' as const },
})
