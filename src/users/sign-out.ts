import { requireSession } from '../access/require.ts'
import type { Context } from '../context/context.ts'

/**
 * Ends the caller's session, or with `everywhere` all sessions of that user; what they hold open is closed within a second.
 * @throws UNAUTHORIZED unless signed in
 */
export async function signOut(
  ctx: Context,
  input: { readonly everywhere: boolean },
): Promise<{ readonly sessions: number }> {
  const { sessionId, userId } = requireSession(ctx)
  const where = input.everywhere ? { userId } : { id: sessionId }
  const { count } = await ctx.db.prisma.session.deleteMany({ where })
  return { sessions: count }
}
