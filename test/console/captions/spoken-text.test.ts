import { expect, test } from 'vitest'
import { inPieces, type Timed, textOf, wordAt } from '../../../src/console/captions/spoken-text.ts'

const timed = (text: string, offset: number, start: number, end = start + 0.3): Timed => ({
  text,
  offset,
  length: [...text].length,
  start,
  end,
})
const SENTENCES = [timed('“Hi, 😀 you!”', 0, 0, 1), timed('Bye.', 13, 1.5, 2)]
const WORDS = [timed('Hi', 1, 0), timed('you', 7, 0.5), timed('Bye', 13, 1.5)]

test('a text is put together from its sentences and words, with all that stands between them', () => {
  const made = inPieces(SENTENCES, WORDS)
  expect(made.map(({ pieces }) => pieces.map(({ text }) => text).join(''))).toEqual(['“Hi, 😀 you!”', 'Bye.'])
  expect(made.map(({ pieces }) => pieces.filter(({ word }) => word !== null))).toEqual([
    [
      { text: 'Hi', word: 0 },
      { text: 'you', word: 1 },
    ],
    [{ text: 'Bye', word: 2 }],
  ])
  expect(inPieces(SENTENCES, [])[1]?.pieces).toEqual([{ text: 'Bye.', word: null }])
})

test('the submitted text is put together from its sentences, with a blank line where more than a space is between them', () => {
  const paragraphs = [timed('One.', 2, 0), timed('Two.', 7, 1), timed('三。', 13, 2), timed('四。', 15, 3)]
  expect(textOf(paragraphs)).toBe('One. Two.\n\n三。四。')
})

test('the word that is heard is found by its time', () => {
  const late = WORDS.map((word) => ({ ...word, start: word.start + 0.1, end: word.end + 0.1 }))
  expect([0, 0.1, 0.5, 0.65, 1.29, 1.4, 1.7, 9].map((seconds) => wordAt(late, seconds))).toEqual([
    -1, 0, 0, 1, 1, -1, 2, -1,
  ])
  expect(wordAt([], 1)).toBe(-1)
})
