import { requireSession } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { SESSION_IDLE_MS } from './session.ts'

const MAX_LISTED = 100

/** A browser that the user is signed in with. */
export interface OpenSession {
  readonly id: string
  readonly createdAt: Date
  /** When it was last used, within a minute. */
  readonly seenAt: Date
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** The open sessions of the signed-in user, the last used first: at most 100. @throws UNAUTHORIZED unless signed in */
export async function openSessions(ctx: Context): Promise<OpenSession[]> {
  const { userId, sessionId } = requireSession(ctx)
  const now = ctx.now()
  const rows = await ctx.db.prisma.session.findMany({
    where: { userId, expiresAt: { gt: now }, seenAt: { gt: new Date(now.getTime() - SESSION_IDLE_MS) } },
    orderBy: [{ seenAt: 'desc' }, { id: 'desc' }],
    take: MAX_LISTED,
    select: { id: true, createdAt: true, seenAt: true },
  })
  return rows.map((row) => ({ ...row, current: row.id === sessionId }))
}
