import { expect, test } from 'vitest'
import { openDatabaseClock } from '../../src/db/database-clock.ts'

const LATE_MS = 40

/** Answers with the time at which it was asked; the first answer is read late, as a process that starts reads it. */
function slowAtFirst() {
  let asked = 0
  const query = async () => {
    const ms = Date.now()
    if (asked++ === 0) while (Date.now() < ms + LATE_MS);
    return { rows: [{ ms }] }
  }
  return { query } as unknown as Parameters<typeof openDatabaseClock>[0]
}

test('a process that reads its first answer late is not that much behind the database', async () => {
  const clock = await openDatabaseClock(slowAtFirst(), { debug: () => undefined })
  const behindMs = Date.now() - clock.now().getTime()
  clock.close()
  expect(behindMs).toBeGreaterThanOrEqual(0)
  expect(behindMs).toBeLessThan(LATE_MS / 2)
})
