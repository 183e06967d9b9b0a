import { setTimeout as pause } from 'node:timers/promises'

/** Rows of one page: a purge must not hold the database up. */
export const PAGE_ROWS = 1000
/** For so long in one go: maintenance comes again after a minute. */
const BUDGET_MS = 45_000
const LONGEST_PAUSE_MS = 1_000
const DAY_MS = 86_400_000

/** The time before which everything is too old; null where it is kept for ever. */
export const cutoffOf = (now: Date, days: number): Date | null =>
  days === 0 ? null : new Date(now.getTime() - days * DAY_MS)

/**
 * Repeats a page until it says that it was the last one. In between it rests for as long as a page took, so that callers find half of the
 * disk's time free.
 */
export async function inPages(page: () => Promise<boolean>, budgetMs = BUDGET_MS): Promise<void> {
  const started = performance.now()
  for (;;) {
    const begun = performance.now()
    if (!(await page()) || performance.now() - started > budgetMs) return
    await pause(Math.min(performance.now() - begun, LONGEST_PAUSE_MS), undefined, { ref: false })
  }
}
