import { requireSession } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { ME_VIEW } from './users.ts'

/** Puts the first steps of the console away for the signed-in user, in every browser. @throws UNAUTHORIZED unless signed in */
export function dismissFirstSteps(
  ctx: Context,
  { query }: { readonly query?: RowQuery },
): Promise<{ id: string; accountId: string }> {
  const { userId } = requireSession(ctx)
  return ctx.db.prisma.user.update({
    where: { id: userId },
    data: { firstStepsDismissedAt: ctx.now() },
    select: selectOf(ME_VIEW, query),
  })
}
