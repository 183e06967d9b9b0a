import { expect, test } from 'vitest'
import { mergeJobs } from '../../../src/console/jobs/live-jobs.ts'

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
