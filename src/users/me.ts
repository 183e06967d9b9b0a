import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'

export const ME_VIEW = { id: true, accountId: true } as const

/** null for a caller without a session */
export async function me(
  { actor, db }: Context,
  { query }: { readonly query?: RowQuery },
): Promise<{ id: string; accountId: string } | null> {
  if (actor.kind !== 'session') return null
  return db.prisma.user.findUnique({ where: { id: actor.userId }, select: selectOf(ME_VIEW, query) })
}
