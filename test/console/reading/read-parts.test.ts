import { expect, test } from 'vitest'
import { readParts } from '../../../src/console/reading/read-parts.ts'

test('a text is cut at its tokens, in code points, and nothing of it is lost', () => {
  const text = '😀 $5, km'
  const tokens = [
    { start: 0, length: 1, spoken: '' },
    { start: 2, length: 2, spoken: 'five dollars' },
    { start: 6, length: 2, spoken: 'kilometers' },
  ]
  const parts = readParts(text, tokens)
  expect(parts).toEqual([
    { start: 0, written: '😀', spoken: '' },
    { start: 1, written: ' ', spoken: null },
    { start: 2, written: '$5', spoken: 'five dollars' },
    { start: 4, written: ', ', spoken: null },
    { start: 6, written: 'km', spoken: 'kilometers' },
  ])
  expect(parts.map(({ written }) => written).join('')).toBe(text)
  expect(readParts('Hello.', [])).toEqual([{ start: 0, written: 'Hello.', spoken: null }])
})
