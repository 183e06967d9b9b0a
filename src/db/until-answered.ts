import { setTimeout as wait } from 'node:timers/promises'
import { isDatabaseDown } from '../errors/outages.ts'

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000
const RETRY_BUDGET_MS = 30_000

/**
 * Repeats an idempotent statement until the database answers.
 * @throws other errors at once
 */
export async function untilAnswered<T>(write: () => Promise<T>, budgetMs = RETRY_BUDGET_MS): Promise<T> {
  const deadline = performance.now() + budgetMs
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 2, LONGEST_WAIT_MS)) {
    try {
      return await write()
    } catch (error) {
      if (!isDatabaseDown(error) || performance.now() > deadline) throw error
      await wait(pause)
    }
  }
}
