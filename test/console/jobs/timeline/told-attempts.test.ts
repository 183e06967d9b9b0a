import { expect, test } from 'vitest'
import { type Attempt, toldAttempts, waitsAgain } from '../../../../src/console/jobs/timeline/told-attempts.ts'

const [BEGUN, ENDED, LATER] = ['2026-11-26T12:00:00.000Z', '2026-11-26T12:00:01.000Z', '2026-11-26T12:00:02.000Z']
const attempt = (number: number, outcome: Attempt['outcome'], endedAt: string | null): Attempt => ({
  number,
  startedAt: BEGUN,
  endedAt,
  outcome,
  error: null,
})

test.each([
  ['waits', [], null, 0, false],
  ['runs', [attempt(1, null, null)], null, 0, false],
  ['was completed at once', [attempt(1, 'COMPLETED', ENDED)], ENDED, 0, false],
  ['failed at once', [attempt(1, 'FAILED', ENDED)], ENDED, 0, false],
  ['was released and waits', [attempt(1, 'RELEASED', ENDED)], null, 1, true],
  ['was lost, and cancelled afterwards', [attempt(1, 'LOST', ENDED)], LATER, 1, false],
  ['runs again', [attempt(1, 'LOST', ENDED), attempt(2, null, null)], null, 2, false],
  ['was completed at its second', [attempt(1, 'LOST', ENDED), attempt(2, 'COMPLETED', LATER)], LATER, 2, false],
] as const)('of a job that %s so many attempts are told', (_what, attemptHistory, completedAt, told, waits) => {
  const job = { attemptHistory, completedAt }
  expect([toldAttempts(job).length, waitsAgain(job)]).toEqual([told, waits])
})
