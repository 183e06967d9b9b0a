import { expect, test } from 'vitest'
import { failureGroups, sumOf } from '../../../../src/console/operator/failures/failure-groups.ts'

const HOURS = ['2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z']
const STEPS = HOURS.map((hour) => Date.parse(hour))
const part = (errorCode: 'RENDER_FAILED' | 'JOB_TIMEOUT', hour: string, jobs: number) => ({
  errorCode,
  endpointKey: 'voice.tts',
  hour,
  day: null,
  jobs,
})
const cause = (errorCode: 'RENDER_FAILED' | 'JOB_TIMEOUT', text: string, jobs: number) => ({
  errorCode,
  endpointKey: 'voice.tts',
  cause: text,
  jobs,
  lastJobId: `job_${text}`,
})

const CAUSES = [cause('RENDER_FAILED', 'one', 2), cause('JOB_TIMEOUT', 'late', 4), cause('RENDER_FAILED', 'two', 1)]
const TREND = [
  part('RENDER_FAILED', HOURS[0]!, 1),
  part('RENDER_FAILED', HOURS[1]!, 2),
  part('JOB_TIMEOUT', HOURS[1]!, 4),
]

test('failures are grouped by code and endpoint, with their causes and how often each came in every step', () => {
  const groups = failureGroups(TREND, CAUSES, STEPS)
  expect(
    groups.map(({ errorCode, jobs, line, causes }) => [errorCode, jobs, line, causes?.map(({ cause }) => cause)]),
  ).toEqual([
    ['JOB_TIMEOUT', 4, [0, 4], ['late']],
    ['RENDER_FAILED', 3, [1, 2], ['one', 'two']],
  ])
  expect(sumOf(groups, STEPS)).toEqual([1, 6])
})

test('a group without causes among the most frequent ones is there all the same, and a cause that was counted later is not', () => {
  const [trend, causes] = [[part('RENDER_FAILED', HOURS[0]!, 1)], [cause('JOB_TIMEOUT', 'late', 1)]]
  expect(failureGroups(trend, causes, STEPS)).toEqual([
    { errorCode: 'RENDER_FAILED', endpointKey: 'voice.tts', jobs: 1, line: [1, 0], causes: [] },
  ])
})

test('the groups of either answer are there without the other one', () => {
  const shown = (groups: ReturnType<typeof failureGroups>) =>
    groups.map(({ errorCode, jobs, line, causes }) => [errorCode, jobs, line, causes?.length ?? null])
  expect(shown(failureGroups(TREND, null, STEPS))).toEqual([
    ['JOB_TIMEOUT', 4, [0, 4], null],
    ['RENDER_FAILED', 3, [1, 2], null],
  ])
  expect(shown(failureGroups(null, CAUSES, STEPS))).toEqual([
    ['JOB_TIMEOUT', 4, null, 1],
    ['RENDER_FAILED', 3, null, 2],
  ])
})
