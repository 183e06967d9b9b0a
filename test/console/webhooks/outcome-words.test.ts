import { expect, test } from 'vitest'
import { outcomeWords } from '../../../src/console/webhooks/outcome-words.ts'

test.each([
  [null, 'In progress'],
  ['succeeded', 'Accepted by the receiver'],
  ['status_503', 'The receiver answered 503'],
  ['connection_closed', 'The receiver closed the connection'],
  ['bad_response', 'The answer is not valid HTTP'],
  ['expired', 'Expired before the next attempt'],
  ['secret_unreadable', 'The signing secret cannot be read: Webhooks says what to do'],
  ['of_a_later_version', 'of_a_later_version'],
])('the outcome %s is said as "%s"', (outcome, words) => {
  expect(outcomeWords(outcome)).toBe(words)
})
