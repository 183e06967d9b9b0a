import { expect, test } from 'vitest'
import {
  chosenOf,
  isMissing,
  neighbourOf,
  stateOf,
  type Take,
  withAnswer,
  withJob,
} from '../../../src/console/studio/editor/states.ts'

const take = (jobId: string, changes: Partial<Take> = {}): Take => ({
  ...{ jobId, status: 'COMPLETED', error: null, errorCode: null, audioMs: 1000, voiceName: 'Aria', createdAt: '' },
  ...{ isChosen: false, isCurrent: true },
  ...changes,
})

test.each<[string, readonly Take[], boolean, string]>([
  ['nothing', [], false, 'none'],
  ['one that waits', [take('b', { status: 'QUEUED' }), take('a')], false, 'waiting'],
  ['one that is being spoken', [take('a', { status: 'PROCESSING' })], false, 'speaking'],
  ['one of this text', [take('a', { isChosen: true })], false, 'ready'],
  ['one of another text', [take('a', { isChosen: true, isCurrent: false })], false, 'outdated'],
  ['one, and a text that is not saved yet', [take('a', { isChosen: true })], true, 'outdated'],
  ['a failed one', [take('a', { status: 'FAILED' })], false, 'failed'],
  ['a failed one after a good one', [take('b', { status: 'FAILED' }), take('a', { isChosen: true })], false, 'ready'],
  [
    'a failed one after one of another text',
    [take('b', { status: 'FAILED' }), take('a', { isCurrent: false })],
    false,
    'failed',
  ],
  ['an older one that was chosen', [take('b'), take('a', { isChosen: true, isCurrent: false })], false, 'outdated'],
  ['one whose audio was deleted', [take('a')], false, 'deleted'],
  ['a deleted one', [take('a', { status: null })], false, 'none'],
])('a paragraph with %s', (_, takes, isChanged, state) => {
  expect(stateOf(takes, isChanged)).toBe(state)
})

test('a take that is done is heard, and one that has failed leaves the chosen one', () => {
  const takes = [take('b', { status: 'PROCESSING' }), take('a', { isChosen: true })]
  expect(chosenOf(withJob(takes, { jobId: 'b', status: 'COMPLETED' }))?.jobId).toBe('b')
  expect(chosenOf(withJob(takes, { jobId: 'b', status: 'FAILED' }))?.jobId).toBe('a')
})

test('an answer from before a take began, was done or chosen changes none of that, and tells the rest', () => {
  const takes = [take('c', { status: 'QUEUED' }), take('b', { isChosen: true }), take('a')]
  const answer = [take('b', { status: 'PROCESSING', isCurrent: false }), take('a', { isChosen: true }), take('z')]
  expect(withAnswer(takes, answer)).toEqual([
    take('c', { status: 'QUEUED' }),
    take('b', { isChosen: true, isCurrent: false }),
    ...[take('a'), take('z')],
  ])
})

test('behind a paragraph that was deleted while it was heard comes the next one of those that are left', () => {
  expect(neighbourOf('b', 1, ['a', 'b', 'c'], [])).toBe('c')
  expect(neighbourOf('c', 1, ['a', 'b', 'c'], ['a', 'b', 'c'])).toBeUndefined()
  expect(neighbourOf('b', 1, ['a', 'd'], ['a', 'b', 'c', 'd'])).toBe('d')
  expect(neighbourOf('b', -1, ['a', 'd'], ['a', 'b', 'c', 'd'])).toBe('a')
  expect(neighbourOf('d', 1, ['a', 'b'], ['a', 'b', 'd'])).toBeUndefined()
})

test('empty paragraphs, and those that wait, are not missing', () => {
  expect(isMissing('none', { text: ' ' })).toBe(false)
  expect(isMissing('waiting', { text: 'x' })).toBe(false)
  expect(isMissing('outdated', { text: 'x' })).toBe(true)
  expect(isMissing('deleted', { text: 'x' })).toBe(true)
})
