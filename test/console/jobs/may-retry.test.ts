import { expect, test } from 'vitest'
import { ERRORS } from '../../../src/console/jobs/jobs-filter.ts'
import { lacksInputs, mayRetry } from '../../../src/console/jobs/may-retry.ts'

const FAILED = { status: 'FAILED', errorCode: 'JOB_TIMEOUT', isRetryable: true }

test('a failed job is offered for a retry where the specification says that it may succeed', () => {
  expect(ERRORS.filter((errorCode) => !mayRetry({ ...FAILED, errorCode }))).toEqual([
    'CHARGE_FAILED',
    'JOB_CANCELLED',
    'RENDER_FAILED',
  ])
  expect(mayRetry({ ...FAILED, status: 'COMPLETED', errorCode: null })).toBe(false)
})

test('a job whose inputs were not kept is not offered for a retry, and the reason is said only where one would be', () => {
  const seen = (change: object) => {
    const job = { ...FAILED, ...change }
    return [mayRetry(job), lacksInputs(job)]
  }
  expect([{}, { isRetryable: false }, { isRetryable: false, errorCode: 'RENDER_FAILED' }].map(seen)).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ])
})
