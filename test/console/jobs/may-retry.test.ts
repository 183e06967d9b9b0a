import { expect, test } from 'vitest'
import { ERRORS } from '../../../src/console/jobs/jobs-filter.ts'
import { mayRetry } from '../../../src/console/jobs/may-retry.ts'

test('a failed job is offered for a retry where the specification says that it may succeed', () => {
  const job = { type: 'VOICE', status: 'FAILED' } as const
  expect(ERRORS.filter((errorCode) => !mayRetry({ ...job, errorCode }))).toEqual([
    'CHARGE_FAILED',
    'JOB_CANCELLED',
    'RENDER_FAILED',
  ])
  expect(mayRetry({ ...job, type: 'COMPANION_CHAT', errorCode: 'JOB_TIMEOUT' })).toBe(false)
  expect(mayRetry({ ...job, status: 'COMPLETED', errorCode: null })).toBe(false)
})
