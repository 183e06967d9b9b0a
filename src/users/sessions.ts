import { createHash, randomBytes } from 'node:crypto'
import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireSession } from '../access/require.ts'
import type { Context, Parts } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { deleteExpired } from '../db/lock-row.ts'
import { unknownId } from '../errors/service-error.ts'
import { isId, newId } from '../values/id.ts'

const HOUR_MS = 3_600_000
export const SESSION_IDLE_MS = 24 * HOUR_MS
const SESSION_LIFETIME_MS = 30 * 24 * HOUR_MS
/** A cookie that outlives its session tells an expired session from one that was ended. */
export const SESSION_KEPT_MS = 24 * HOUR_MS

const TOKEN_BYTES = 32
const FORM = /^[A-Za-z0-9_-]{43}$/
const MAX_LISTED = 100

export interface OpenedSession {
  readonly token: string
  readonly keptUntil: Date
}

export interface EndedSession {
  readonly id: string
  readonly current: boolean
}

/** Makes 256 random bits. Only their hash is stored. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

export const isToken = (text: string): boolean => FORM.test(text)

export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createHash('sha256').update(token).digest())

/**
 * The transaction has locked the row of a user who may sign in.
 * @param passwordAt when the user gave credentials, which confirm an operator's changes; null after a link
 */
export async function openSession(
  tx: PrismaTx,
  userId: string,
  passwordAt: Date | null,
  now: Date,
  lifetimeMs = SESSION_LIFETIME_MS,
): Promise<OpenedSession> {
  const token = newToken()
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  const used = { seenAt: now, passwordAt }
  const data = { id: newId('ses', now), userId, hash: hashToken(token), expiresAt, ...used }
  await tx.session.create({ data, select: { id: true } })
  await tx.user.update({ where: { id: userId }, data: { lastSeenAt: now }, select: { id: true } })
  return { token, keptUntil: new Date(expiresAt.getTime() + SESSION_KEPT_MS) }
}

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

/** Ends a user's sessions except `stays`, and deletes their sign-in links. @returns how many sessions */
export async function endSessions(tx: PrismaTx, userId: string, stays?: string): Promise<number> {
  await tx.signInLink.deleteMany({ where: { userId } })
  const where = { userId, ...(stays !== undefined && { id: { not: stays } }) }
  return (await tx.session.deleteMany({ where })).count
}

export async function forgetSessions({ db, now }: Pick<Parts, 'db' | 'now'>): Promise<void> {
  const at = now()
  await deleteExpired(db.pool, 'session', new Date(at.getTime() - SESSION_KEPT_MS))
  await deleteExpired(db.pool, 'sign_in_link', at)
}
