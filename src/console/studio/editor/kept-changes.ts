import { STUDIO } from '../../api/left.ts'
import { session, signOuts } from '../../api/session.ts'
import { forget, keep, type StorageName, takeKept } from '../../playground/kept.ts'
import type { Changes } from '../model/save.ts'

/** Each tab has its own changes; after a crash another one finds them. */
const STORAGES: readonly StorageName[] = ['sessionStorage', 'localStorage']

interface Kept {
  readonly revision: number
  readonly changes: Changes
}
/** By the ids of projects. */
type AllKept = Readonly<Record<string, Kept>>

signOuts.subscribe((times) => {
  if (times > 0) forget(STUDIO, STORAGES)
})

const all = (): AllKept => (takeKept<AllKept>(STUDIO, session.peek()?.user.id, STORAGES) ?? {}) as AllKept

/** What the user has changed in a project and the service does not have yet. */
export const keptChanges = (id: string): Kept | null => all()[id] ?? null

/** @param kept null: the service has everything */
export function keepChanges(id: string, kept: Kept | null): void {
  const { [id]: before, ...others } = all()
  if (kept === null && before === undefined) return
  const next = kept === null ? others : { ...others, [id]: kept }
  if (Object.keys(next).length === 0) forget(STUDIO, STORAGES)
  else keep(STUDIO, next, STORAGES)
}
