import { signal } from '@preact/signals'

const TICK_MS = 10_000
/** A clock that is off by less is taken as right: an answer says whole seconds, and was under way for a while. */
const TOLERANCE_MS = 30_000

/** How far the service's clock is ahead of this browser's. */
let aheadMs = 0

/** The service's time, in milliseconds: the browser's own clock may be hours off, and would look for jobs where there are none. */
export const timeNow = (): number => Date.now() + aheadMs

/** The time that "3 min. ago" is counted from; it moves while the page is looked at. */
export const now = signal(timeNow())

setInterval(() => {
  if (!document.hidden) now.value = timeNow()
}, TICK_MS)

/** @param date as an answer's header says it; null where it does not */
export function noteTime(date: string | null): void {
  const ahead = Date.parse(date ?? '') - Date.now()
  if (Number.isNaN(ahead) || Math.abs(ahead - aheadMs) < TOLERANCE_MS) return
  aheadMs = Math.abs(ahead) < TOLERANCE_MS ? 0 : ahead
  now.value = timeNow()
}
