import { expect, test } from 'vitest'
import { mayFollow, mayStart } from '../../src/reading/pattern-starts.ts'

/** Those of the characters that may follow. */
const followers = (source: string, flags = 'y'): string =>
  Array.from('/:.,-km°½(', (character) =>
    mayFollow(new RegExp(source, flags), character.charCodeAt(0)) ? character : '',
  ).join('')

test.each([
  [String.raw`(?<a>\d{1,2})(?<mark>[-/.])(?<b>\d{1,2})\k<mark>\d{4}`, '/.-'],
  [String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?![\d:])`, ':'],
  [String.raw`(?<number>\d{1,3}(?:,\d{3})*(?:\.\d+)?) ?(?<unit>km|m|°C)`, '.,km°'],
  [String.raw`(?:\d{1,2} )?[½¼]`, '½'],
  [String.raw`\+?\(?\d{3}\) ?\d`, '('],
  [String.raw`401 ?\(?k\)?`, 'k('],
  [String.raw`[01]?\d(?:st|[k-n])`, 'km'],
])('behind the digits of %s only its next characters follow', (source, characters) => {
  expect(followers(source)).toBe(characters)
})

test('a pattern that may end with digits, or begins with what is not known, may be followed by anything', () => {
  const all = '/:.,-km°½('
  expect(followers(String.raw`\d{1,3}(?!\d)`)).toBe(all)
  expect(followers(String.raw`\d{1,3}(?:km)?`)).toBe(all)
  expect(followers(String.raw`\d{1,3}|\d:`)).toBe(all)
  expect(followers(String.raw`\d{1,3}\s?:`)).toBe(all)
  expect(followers(String.raw`\d[^:]k`)).toBe(all)
  expect(followers(String.raw`\dKM`, 'iy')).toBe(all)
})

test('a match starts with the first characters of its alternatives only', () => {
  const starts = (source: string, flags = 'y') =>
    Array.from('aZ7$-.', (character) => (mayStart({ source, flags }, character.charCodeAt(0)) ? character : '')).join(
      '',
    )
  expect(starts(String.raw`[-+]?\$?\d`)).toBe('7$-')
  expect(starts('(?:abc|Z|(?<x>[.]))7')).toBe('aZ.')
  expect(starts(String.raw`\p{Ll}|[\p{N}-]`)).toBe('a7-')
  expect(starts('(?=a)[^b]')).toBe('aZ7$-.')
  expect(starts('A', 'iy')).toBe('aZ7$-.')
})
