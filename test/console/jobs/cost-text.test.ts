import { expect, test } from 'vitest'
import { costCell, costText } from '../../../src/console/jobs/cost-text.ts'

const AT = '2026-11-25T12:00:00.000Z'

test.each([
  [{ cost: 1200, status: 'COMPLETED', startedAt: AT }, '1,200 credits'],
  [{ cost: 1200, status: 'QUEUED', startedAt: null }, '1,200 credits'],
  [{ cost: 1200, status: 'FAILED', startedAt: AT }, 'refunded'],
  [{ cost: 1200, status: 'FAILED', startedAt: null }, 'not charged'],
  [{ cost: 1, status: 'PROCESSING', startedAt: AT }, '1 credit'],
  [{ cost: 0, status: 'FAILED', startedAt: AT }, '0 credits'],
])('%j costs %s', (job, text) => {
  expect([costText(job), costCell(job)]).toEqual([text, text.replace(/ credits?$/, '')])
})
