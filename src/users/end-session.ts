import { requireSession } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { unknownId } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'

export interface EndedSession {
  readonly id: string
  readonly current: boolean
}

/**
 * Ends one session of the caller; its connections close within a second.
 * @throws UNAUTHORIZED unless signed in, NOT_FOUND (also for sessions of other users)
 */
export async function endSession(ctx: Context, { id }: { readonly id: string }): Promise<EndedSession> {
  const { userId, sessionId } = requireSession(ctx)
  const { count } = isId('ses', id) ? await ctx.db.prisma.session.deleteMany({ where: { id, userId } }) : { count: 0 }
  if (count === 0) throw unknownId('session')
  return { id, current: id === sessionId }
}
