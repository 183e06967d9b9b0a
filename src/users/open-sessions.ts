import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import type { Context } from '../context/context.ts'
import { SESSION_IDLE_MS } from './session.ts'

const MAX_LISTED = 100

export function openSessions({ now }: Pick<Context, 'now'>) {
  const at = now()
  const orderBy: Prisma.SessionOrderByWithRelationInput[] = [{ seenAt: 'desc' }, { id: 'desc' }]
  return {
    where: { expiresAt: { gt: at }, seenAt: { gt: new Date(at.getTime() - SESSION_IDLE_MS) } },
    orderBy,
    take: MAX_LISTED,
  }
}

export const isCurrent = ({ actor }: Pick<Context, 'actor'>, { id }: { readonly id: string }): boolean =>
  actor.kind === 'session' && actor.sessionId === id
