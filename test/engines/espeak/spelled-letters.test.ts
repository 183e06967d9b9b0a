import { expect, test } from 'vitest'
import { spokenText } from '../../../src/engines/espeak/spoken-part.ts'
import { toSpokenText } from '../../../src/engines/espeak/spoken-text.ts'

const said = (text: string, language: string): string => spokenText(toSpokenText(text, language, () => []))

test.each([
  ['en-us', 'The D N A and the A B C.', 'The D N eigh and the eigh B C.'],
  ['en-gb', 'A V I files', 'eigh V I files'],
  ['pt-br', 'o A D N da O M S', 'o á D N da ó M S'],
  ['es', 'Y P F', 'i griega P F'],
])('in %s, %s has the names of its letters', (language, text, letters) => {
  expect(said(text, language)).toBe(letters)
})

test.each([
  ['en-us', 'A man, a plan. Plan A works.'],
  ['es', 'Y luego, Y Pedro'],
  ['pt-br', 'A casa e o João'],
  ['de', 'A D A C'],
])('in %s, %s stays as it is', (language, text) => {
  expect(said(text, language)).toBe(text)
})

test('a letter that is named stands for the letter that was submitted', () => {
  expect(toSpokenText('an A C', 'en-us', () => []).filter(({ spoken }) => spoken.length > 1)).toEqual([
    { spoken: 'eigh', start: 3, length: 1 },
  ])
})
