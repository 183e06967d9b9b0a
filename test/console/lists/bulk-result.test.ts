import { expect, test } from 'vitest'
import { bulkResult } from '../../../src/console/lists/bulk-result.ts'

const refused = (message: string) => ({ error: { message } })

test('what was done and what was refused are counted, and each reason is said once', () => {
  expect(bulkResult('queued', [{ error: null }, {}])).toBe('2 queued.')
  expect(bulkResult('queued', [{ error: null }, refused('Wait.'), refused('Not found.'), refused('Wait.')])).toBe(
    '1 queued, 3 refused: Wait. Not found.',
  )
  expect(bulkResult('cancelled', [refused('Ended.')])).toBe('0 cancelled, 1 refused: Ended.')
})
