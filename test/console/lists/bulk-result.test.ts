import { expect, test } from 'vitest'
import { bulkResult } from '../../../src/console/lists/bulk-result.ts'

const one = (refusal: string | null) => ({ id: 'job_1', path: '/jobs/job_1', refusal })

test('what was done and what was refused are counted', () => {
  expect(bulkResult('queued', [one(null), one(null)])).toBe('2 queued.')
  expect(bulkResult('queued', [one(null), one('Wait.'), one('Not found.'), one('Wait.')])).toBe('1 queued, 3 refused.')
  expect(bulkResult('cancelled', [one('Ended.')])).toBe('0 cancelled, 1 refused.')
})
