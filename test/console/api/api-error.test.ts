import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, asFailedQuestion } from '../../../src/console/api/api-error.ts'

const NOW = Date.UTC(2026, 10, 26)

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const unavailable = (retryAfterSeconds?: number) =>
  new ApiError('Not now.', { code: 'UNAVAILABLE', requestId: 'req_1', retryAfterSeconds })
/** The pauses of a question that is not answered so many times. */
function pausesOf(tries: number): number[] {
  let failure: ApiError | null = null
  return Array.from({ length: tries }, () => {
    failure = asFailedQuestion(unavailable(), failure)
    return (failure.againAt ?? 0) - NOW
  })
}

test('a question that is not available waits for twice as long each time, up to 10 s, a quarter more or less by chance', () => {
  const random = vi.spyOn(Math, 'random')
  for (const [chance, share] of [
    [0.5, 1],
    [0, 0.75],
    [1, 1.25],
  ] as const) {
    random.mockReturnValue(chance)
    expect(pausesOf(6)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000].map((ms) => ms * share))
  }
})

test('such a pause keeps what was said of the failure, and turns no button off', () => {
  expect(asFailedQuestion(unavailable(), null)).toMatchObject({
    message: 'Not now.',
    code: 'UNAVAILABLE',
    requestId: 'req_1',
    retryAt: null,
  })
})

test('a pause that the service asks for, what is no pause, and a change make none by themselves', () => {
  const before = asFailedQuestion(unavailable(), null)
  expect(asFailedQuestion(unavailable(7), before)).toMatchObject({
    retryAt: NOW + 7000,
    againAt: NOW + 7000,
    pauses: 0,
  })
  for (const code of ['OFFLINE', 'FORBIDDEN', 'INTERNAL_ERROR'])
    expect(asFailedQuestion(new ApiError('No.', { code }), before)).toMatchObject({ againAt: null, pauses: 0 })
  expect(unavailable()).toMatchObject({ retryAt: null, againAt: null })
})
