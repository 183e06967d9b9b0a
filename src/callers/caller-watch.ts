import { type AccountHolder, callerOf } from '../access/actor.ts'
import { scopesOfUser } from '../access/scopes.ts'
import type { Parts } from '../context/context.ts'
import { accountDisabled, forbidden, type ServiceError, unauthorized } from '../errors/service-error.ts'
import { SESSION_IDLE_MS } from '../users/sessions.ts'

const POLL_EVERY_MS = 400
const ACCOUNT = { account: { select: { disabledAt: true } } } as const

/** Notices when a connected caller loses its key, session, account or a scope. */
export interface CallerWatch {
  /** Calls `onGone` once: UNAUTHORIZED, or FORBIDDEN for a lost scope or a disabled account. */
  watch(caller: AccountHolder, scopes: readonly string[], onGone: (error: ServiceError) => void): () => void
}

interface Watcher {
  readonly caller: AccountHolder
  readonly scopes: readonly string[]
  readonly onGone: (error: ServiceError) => void
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
      const error = refusalOf(standing.get(callerOf(watcher.caller)), watcher.scopes)
      if (error !== null && watchers.delete(watcher)) watcher.onGone(error)
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

/** @param held undefined: the caller is gone */
function refusalOf(held: Standing | undefined, scopes: readonly string[]): ServiceError | null {
  if (held === undefined) return unauthorized()
  if (held === 'disabled') return accountDisabled()
  const lost = scopes.find((scope) => !held.includes(scope))
  return lost === undefined ? null : forbidden(lost)
}

/** The scopes of a caller. */
type Standing = readonly string[] | 'disabled'

/** Valid callers by key or session id, with present scopes. */
async function standingCallers(
  { db, now }: Pick<Parts, 'db' | 'now'>,
  callers: readonly AccountHolder[],
): Promise<Map<string, Standing>> {
  const keys = callers.flatMap((caller) => (caller.kind === 'key' ? [caller.apiKeyId] : []))
  const sessions = callers.flatMap((caller) => (caller.kind === 'session' ? [caller.sessionId] : []))
  const standing = new Map<string, Standing>()
  if (keys.length > 0) {
    const where = { id: { in: keys }, OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }] }
    const rows = await db.prisma.apiKey.findMany({ where, select: { id: true, scopes: true, ...ACCOUNT } })
    for (const { id, scopes, account } of rows) standing.set(id, account.disabledAt === null ? scopes : 'disabled')
  }
  if (sessions.length > 0) {
    const at = now()
    const seenAt = { gt: new Date(at.getTime() - SESSION_IDLE_MS) }
    const rows = await db.prisma.session.findMany({
      where: { id: { in: sessions }, expiresAt: { gt: at }, seenAt, user: { disabledAt: null } },
      select: { id: true, user: { select: { role: true, operator: true, ...ACCOUNT } } },
    })
    for (const { id, user } of rows)
      standing.set(id, user.account.disabledAt === null ? scopesOfUser(user) : 'disabled')
  }
  return standing
}
