import { type AccountHolder, callerOf } from '../access/actor.ts'
import type { Parts } from '../context/context.ts'
import { standingCallers } from './valid-callers.ts'

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
