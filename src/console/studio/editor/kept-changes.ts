import { STUDIO } from '../../api/left.ts'
import { randomKey } from '../../api/random-key.ts'
import { session, signOuts } from '../../api/session.ts'
import { forget, keep, keptNames, type StorageName, takeKept } from '../../playground/kept.ts'
import type { Changes } from '../model/save.ts'

const STORAGES: readonly StorageName[] = ['sessionStorage', 'localStorage']
/** Tabs share localStorage: each page has a name of its own there. */
const PAGE = randomKey()

interface Kept {
  readonly revision: number
  readonly changes: Changes
}
interface Stored extends Kept {
  readonly page: string
  readonly at: number
}

/** Each tab has its own changes of a project; after a crash another one finds them. */
const nameOf = (id: string): string => `${STUDIO}/${id}`
const sharedName = (id: string, page: string): string => `${nameOf(id)}/${page}`

signOuts.subscribe((times) => {
  if (times === 0) return
  for (const storage of STORAGES) for (const name of keptNames(STUDIO, storage)) forget(name, [storage])
})

const stored = (name: string, storage: StorageName): Stored | null =>
  takeKept<Stored>(name, session.peek()?.user.id, [storage]) as Stored | null

/** The user has changed this in a project, and the service does not have it yet. It is this page's from now on, also where another one left it. */
export function takeKeptChanges(id: string): Kept | null {
  // Reading deletes what another user left.
  const others = STORAGES.flatMap((storage) =>
    keptNames(STUDIO, storage).map((name) => [name, stored(name, storage)] as const),
  )
  const left = others.flatMap(([name, one]) => (one !== null && name === sharedName(id, one.page) ? [one] : []))
  const found = stored(nameOf(id), 'sessionStorage') ?? left.toSorted((one, other) => other.at - one.at)[0]
  if (found === undefined) return null
  keepChanges(id, found)
  if (found.page !== PAGE) forget(sharedName(id, found.page), ['localStorage'])
  return found
}

/** @param kept null: the service has everything */
export function keepChanges(id: string, kept: Kept | null): void {
  const value =
    kept && ({ revision: kept.revision, changes: kept.changes, page: PAGE, at: Date.now() } satisfies Stored)
  for (const storage of STORAGES) {
    const name = storage === 'sessionStorage' ? nameOf(id) : sharedName(id, PAGE)
    if (value === null) forget(name, [storage])
    else keep(name, value, [storage])
  }
}
