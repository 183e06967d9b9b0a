import { signal } from '@preact/signals'
import { session } from '../api/session.ts'

const KEY = 'sonant-steps'
const away = signal(readAway())

/** Tells if the user has put the first steps away in this browser. */
export const areAway = (): boolean => away.value.includes(session.value?.user.id ?? '')

/** For good: the next visits show none. */
export function putAway(): void {
  away.value = [...away.value, session.peek()?.user.id ?? '']
  try {
    localStorage.setItem(KEY, JSON.stringify(away.value))
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function readAway(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}
