import { signal } from '@preact/signals'

const TICK_MS = 10_000

/** The time that "3 min. ago" is counted from, in milliseconds; it moves while the page is looked at. */
export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, TICK_MS)
