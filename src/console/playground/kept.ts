import { leftAt } from '../api/left.ts'
import { session } from '../api/session.ts'

/** A value that the browser stores for one user. A sign-out in any tab deletes it, and so does another user's sign-in. */
interface Stored<Value> {
  readonly userId: string
  /** The time of the browser's clock, in milliseconds. */
  readonly at: number
  readonly value: Value
}

/** Keeps something for the user of the session. @param storages the tab's own one first, where the tabs of a browser differ */
export function keep(name: string, value: unknown, storages: readonly StorageName[]): void {
  const userId = session.peek()?.user.id
  if (userId === undefined) return
  const text = JSON.stringify({ userId, at: Date.now(), value } satisfies Stored<unknown>)
  for (const storage of storages) using(storage, (one) => one.setItem(name, text))
}

/**
 * The stored value of a user. Values of other users, and those from before a sign-out, are deleted; an expired session deletes nothing.
 * @param userId undefined: nobody is signed in
 */
export function takeKept<Value>(
  name: string,
  userId: string | undefined,
  storages: readonly StorageName[],
): Partial<Value> | null {
  for (const storage of storages) {
    const stored = read<Value>(name, storage)
    if (stored === null) continue
    const isForeign = stored.at <= leftAt() || (userId !== undefined && stored.userId !== userId)
    if (isForeign) forget(name, [storage])
    else if (userId !== undefined && typeof stored.value === 'object') return stored.value
  }
  return null
}

export function forget(name: string, storages: readonly StorageName[]): void {
  for (const storage of storages) using(storage, (one) => one.removeItem(name))
}

/** The names of what is kept under such names. */
export const keptNames = (prefix: string, storage: StorageName): readonly string[] =>
  (using(storage, (one) => Object.keys(one)) ?? []).filter((name) => name.startsWith(prefix))

export type StorageName = 'sessionStorage' | 'localStorage'

function read<Value>(name: string, storage: StorageName): Stored<Value> | null {
  try {
    return JSON.parse(using(storage, (one) => one.getItem(name)) ?? 'null')
  } catch {
    return null
  }
}

/** Null where the browser has no storage for pages, or no room in it: what is kept then lasts as long as the page. */
function using<Found>(storage: StorageName, use: (storage: Storage) => Found): Found | null {
  try {
    return use(globalThis[storage])
  } catch {
    return null
  }
}
