import { expect, test } from 'vitest'
import { ERRORS } from '../../../src/console/jobs/jobs-filter.ts'
import { lacksText, mayRetry } from '../../../src/console/jobs/may-retry.ts'

test('a failed job is offered for a retry where the specification says that it may succeed', () => {
  const job = { __typename: 'VoiceJob', type: 'VOICE', status: 'FAILED', textExcerpt: 'Hello.' } as const
  expect(ERRORS.filter((errorCode) => !mayRetry({ ...job, errorCode }))).toEqual([
    'CHARGE_FAILED',
    'JOB_CANCELLED',
    'RENDER_FAILED',
  ])
  expect(mayRetry({ ...job, type: 'COMPANION_CHAT', errorCode: 'JOB_TIMEOUT' })).toBe(false)
  expect(mayRetry({ ...job, status: 'COMPLETED', errorCode: null })).toBe(false)
})

test('a job whose text was not kept is not offered for a retry, and the reason is said only where one would be', () => {
  const job = { __typename: 'VoiceJob', type: 'VOICE', status: 'FAILED', errorCode: 'JOB_TIMEOUT' }
  const seen = (textExcerpt: string | null, errorCode = 'JOB_TIMEOUT') => {
    const one = { ...job, textExcerpt, errorCode }
    return [mayRetry(one), lacksText(one)]
  }
  expect([seen('Hello.'), seen(null), seen(null, 'RENDER_FAILED')]).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ])
})
