import { setTimeout as pause } from 'node:timers/promises'

export const PAGE_ROWS = 1000
const BUDGET_MS = 45_000
const LONGEST_PAUSE_MS = 1_000
const DAY_MS = 86_400_000

/** Null: kept for ever. */
export const cutoffOf = (now: Date, days: number): Date | null =>
  days === 0 ? null : new Date(now.getTime() - days * DAY_MS)

/** Repeats a page until it returns false or the time is over. Pauses as long as a page took. */
export async function inPages(page: () => Promise<boolean>, budgetMs = BUDGET_MS): Promise<void> {
  const started = performance.now()
  for (;;) {
    const begun = performance.now()
    if (!(await page()) || performance.now() - started > budgetMs) return
    await pause(Math.min(performance.now() - begun, LONGEST_PAUSE_MS), undefined, { ref: false })
  }
}
