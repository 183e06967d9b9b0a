import { signal } from '@preact/signals'

const TICK_MS = 10_000
/** A clock that is off by less is taken as right. */
const TOLERANCE_MS = 3_000
/** So long a correction stands: services that contradict each other do not move the page with every answer. */
const STANDS_MS = 60_000

/** How far the service's clock is ahead of this browser's. */
let aheadMs = 0
let correctedAt = Number.NEGATIVE_INFINITY

/** The service's time, in milliseconds: the browser's own clock may be hours off, and would look for jobs where there are none. */
export const timeNow = (): number => Date.now() + aheadMs

/** The time that "3 min. ago" is counted from; it moves while the page is looked at. */
export const now = signal(timeNow())

/** Lets {@link now} move, for as long as the page is open. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = timeNow()
  }, TICK_MS)
}

/**
 * @param stamp when the answer was sent, in milliseconds; null where it does not say
 * @param askedAt by this browser's clock: the service read its own between then and now
 */
export function noteTime(stamp: string | null, askedAt: number): void {
  const ahead = Number(stamp) - Date.now()
  const isRight = ahead - TOLERANCE_MS <= aheadMs && aheadMs <= Number(stamp) - askedAt + TOLERANCE_MS
  if (!stamp || Number.isNaN(ahead) || isRight || performance.now() - correctedAt < STANDS_MS) return
  correctedAt = performance.now()
  aheadMs = ahead
  now.value = timeNow()
}
