import { type Context, requireSession } from '../context.ts'

/**
 * Ends the caller's session, or with `everywhere` all sessions of that person; what they hold open is closed within a second.
 * @throws UNAUTHORIZED unless signed in
 */
export async function signOut(ctx: Context, input: { readonly everywhere: boolean }): Promise<boolean> {
  const { sessionId, userId } = requireSession(ctx)
  await ctx.db.prisma.session.deleteMany({ where: input.everywhere ? { userId } : { id: sessionId } })
  return true
}
