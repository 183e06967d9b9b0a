import { expect, test } from 'vitest'
import { countingPause } from '../../../src/console/webhooks/counting-pause.ts'

test.each([
  [0, 5000],
  [249, 5000],
  [3000, 60_000],
])('after a count that took %i ms the next one waits %i ms', (tookMs, pauseMs) => {
  expect(countingPause(tookMs)).toBe(pauseMs)
})
