import { expect, test } from 'vitest'
import { openDatabaseClock } from '../../src/db/database-clock.ts'

const LATE_MS = 500

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
  const [before, now, after] = [Date.now(), clock.now().getTime(), Date.now()]
  clock.close()
  expect(now).toBeLessThanOrEqual(after)
  expect(now).toBeGreaterThan(before - LATE_MS / 2)
})
