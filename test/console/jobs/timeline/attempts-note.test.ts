import { expect, test } from 'vitest'
import { attemptsNote } from '../../../../src/console/jobs/timeline/attempts-note.ts'

test.each([
  [0, 0, 'QUEUED', null],
  [1, 0, 'PROCESSING', null],
  [1, 0, 'COMPLETED', null],
  [1, 1, 'PROCESSING', '1 released by its worker; it waits for the next worker'],
  [2, 1, 'PROCESSING', '1 released by its worker, 1 running or without a result'],
  [4, 2, 'PROCESSING', '2 released by their workers, 2 running or without a result'],
  [3, 0, 'PROCESSING', '2 without a result'],
  [2, 1, 'COMPLETED', '1 released by its worker'],
  [2, 0, 'COMPLETED', '1 without a result'],
  [5, 2, 'FAILED', '2 released by their workers, 2 without a result'],
] as const)('of %i attempts, %i released, %s says %s', (attempts, releases, status, note) => {
  expect(attemptsNote({ attempts, releases, status })).toBe(note)
})
