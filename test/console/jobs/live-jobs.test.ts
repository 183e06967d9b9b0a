import { expect, test } from 'vitest'
import { belongs, isMissed, mergeJobs } from '../../../src/console/jobs/live-jobs.ts'

const job = (id: string, status: string) => ({ id, status })

test('rows keep their places and take what changed; new jobs come out apart', () => {
  const rows = [job('a', 'QUEUED'), job('b', 'PROCESSING')]
  expect(mergeJobs(rows, [job('b', 'COMPLETED'), job('c', 'QUEUED')])).toEqual({
    rows: [job('a', 'QUEUED'), job('b', 'COMPLETED')],
    newer: [job('c', 'QUEUED')],
  })
})

test('a job that has ended is not shown as running again by a late message', () => {
  expect(mergeJobs([job('a', 'COMPLETED')], [job('a', 'PROCESSING')]).rows).toEqual([job('a', 'COMPLETED')])
})

test('a row that is unfinished, and not among what is, has been missed', () => {
  const rows = [job('a', 'PROCESSING'), job('b', 'COMPLETED')]
  expect([isMissed(rows, [job('a', 'QUEUED')]), isMissed(rows, [job('b', 'QUEUED')]), isMissed([], [])]).toEqual([
    false,
    true,
    false,
  ])
})

test('a job belongs to a list by its state and its error, whatever else the list asks for', () => {
  const failed = { status: 'FAILED', errorCode: 'PROVIDER_BUSY' }
  const queued = { status: 'QUEUED', errorCode: null }
  const filters = [
    {},
    { statuses: null },
    { statuses: ['FAILED'] },
    { errorCodes: ['PROVIDER_BUSY'] },
    { errorCodes: ['JOB_TIMEOUT'] },
  ]
  expect(filters.map((filter) => belongs(failed, filter))).toEqual([true, true, true, true, false])
  expect(filters.map((filter) => belongs(queued, filter))).toEqual([true, true, false, false, false])
})
