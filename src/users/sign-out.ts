import { requireSession } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { endSessions } from './end-sessions.ts'

/** @throws UNAUTHORIZED unless signed in */
export async function signOut(
  ctx: Context,
  input: { readonly everywhere: boolean },
): Promise<{ readonly sessions: number }> {
  const { sessionId, userId } = requireSession(ctx)
  const { prisma } = ctx.db
  if (input.everywhere) return { sessions: await prisma.$transaction((tx) => endSessions(tx, userId)) }
  const { count } = await prisma.session.deleteMany({ where: { id: sessionId } })
  return { sessions: count }
}
