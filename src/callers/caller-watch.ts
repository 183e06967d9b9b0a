import { type AccountHolder, callerOf } from '../access/actor.ts'
import { scopesOfUser } from '../access/scopes.ts'
import type { Parts } from '../context/context.ts'
import { SESSION_IDLE_MS } from '../users/sessions.ts'

const POLL_EVERY_MS = 400

/** Notices when a connected caller loses its key, session or a scope. */
export interface CallerWatch {
  /** Calls `onGone` once, with the lost scope if the key still exists. */
  watch(caller: AccountHolder, scopes: readonly string[], onGone: (lost: string | null) => void): () => void
}

interface Watcher {
  readonly caller: AccountHolder
  readonly scopes: readonly string[]
  readonly onGone: (lost: string | null) => void
}

/** Polls the database for all callers, because a notification may be lost. */
export function openCallerWatch(parts: Pick<Parts, 'db' | 'log' | 'now'>): CallerWatch {
  const watchers = new Set<Watcher>()
  let polling = false
  const poll = async (): Promise<void> => {
    const asked = [...watchers]
    const callers = new Map(asked.map(({ caller }) => [callerOf(caller), caller]))
    const standing = await standingCallers(parts, [...callers.values()])
    for (const watcher of asked) {
      const held = standing.get(callerOf(watcher.caller))
      const lost = held === undefined ? null : watcher.scopes.find((scope) => !held.includes(scope))
      if (lost !== undefined && watchers.delete(watcher)) watcher.onGone(lost)
    }
  }
  const later = (): void => {
    polling = watchers.size > 0
    if (!polling) return
    setTimeout(() => {
      poll()
        .catch((error: Error) => parts.log.warn({ err: error.message }, 'callers could not be looked up'))
        .finally(later)
    }, POLL_EVERY_MS).unref()
  }
  return {
    watch: (caller, scopes, onGone) => {
      if (caller.kind === 'account') return () => undefined
      const watcher = { caller, scopes, onGone }
      watchers.add(watcher)
      if (!polling) later()
      return () => watchers.delete(watcher)
    },
  }
}

/** Valid callers by key or session id, with present scopes. */
async function standingCallers(
  { db, now }: Pick<Parts, 'db' | 'now'>,
  callers: readonly AccountHolder[],
): Promise<Map<string, readonly string[]>> {
  const keys = callers.flatMap((caller) => (caller.kind === 'key' ? [caller.apiKeyId] : []))
  const sessions = callers.flatMap((caller) => (caller.kind === 'session' ? [caller.sessionId] : []))
  const standing = new Map<string, readonly string[]>()
  if (keys.length > 0) {
    const where = { id: { in: keys }, OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }] }
    const rows = await db.prisma.apiKey.findMany({ where, select: { id: true, scopes: true } })
    for (const { id, scopes } of rows) standing.set(id, scopes)
  }
  if (sessions.length > 0) {
    const at = now()
    const seenAt = { gt: new Date(at.getTime() - SESSION_IDLE_MS) }
    const rows = await db.prisma.session.findMany({
      where: { id: { in: sessions }, expiresAt: { gt: at }, seenAt, user: { disabledAt: null } },
      select: { id: true, user: { select: { role: true, operator: true } } },
    })
    for (const { id, user } of rows) standing.set(id, scopesOfUser(user))
  }
  return standing
}
