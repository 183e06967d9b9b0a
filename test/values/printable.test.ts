import { expect, test } from 'vitest'
import { hasControl, hasUnseen } from '../../src/values/printable.ts'

test.each(['\u202e', '\u200b', '\u2028', '\u2066', '\u00ad', '\ufeff', '\u3164', '\u001b', '\u009b', '\n'])(
  'a name with %j holds what a reader cannot see',
  (character) => {
    expect(hasUnseen(`a${character}b`)).toBe(true)
  },
)

test.each(['Ærø', '山田 太郎', 'می‌خواهم', '❤️', '👩‍🚀', 'O’Neil & Söhne (2)'])('%s can be a name', (name) => {
  expect(hasUnseen(name)).toBe(false)
})

test('ESC and C1 are controls of a text, tabs and ends of lines are not', () => {
  expect(['\u001b[2J', 'a\u009bb', 'a\u0085b', 'two\r\n\tlines'].map(hasControl)).toEqual([true, true, true, false])
})
