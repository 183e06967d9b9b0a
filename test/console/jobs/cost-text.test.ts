import { expect, test } from 'vitest'
import { costText } from '../../../src/console/jobs/cost-text.ts'

const AT = '2026-11-25T12:00:00.000Z'

test.each([
  [{ cost: 1200, status: 'COMPLETED', startedAt: AT }, '1,200 credits'],
  [{ cost: 1200, status: 'QUEUED', startedAt: null }, '1,200 credits'],
  [{ cost: 1200, status: 'FAILED', startedAt: AT }, '1,200 credits, refunded'],
  [{ cost: 1200, status: 'FAILED', startedAt: null }, '1,200 credits, not charged'],
  [{ cost: 0, status: 'FAILED', startedAt: AT }, '0 credits'],
])('%j costs %s', (job, text) => {
  expect(costText(job)).toBe(text)
})
