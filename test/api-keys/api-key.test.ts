import { expect, test } from 'vitest'
import { isApiKey, newApiKey } from '../../src/api-keys/api-key.ts'

test.each([
  [null, /^snt_[0-9A-Za-z]{42}$/],
  ['a', /^snt_a_[0-9A-Za-z]{42}$/],
  ['7', /^snt_7_[0-9A-Za-z]{42}$/],
])('a key of the cell %s is one, and with any of its characters mistyped none', (cell, form) => {
  const key = newApiKey(cell)
  expect(key).toMatch(form)
  expect(isApiKey(key)).toBe(true)
  const wrong = [...key].map((character, at) => key.slice(0, at) + (character === 'x' ? 'y' : 'x') + key.slice(at + 1))
  expect(wrong.filter(isApiKey)).toEqual([])
})

test('a key without its mark, or with a longer one, is none', () => {
  const key = newApiKey('a')
  expect([key.replace('a_', ''), key.replace('a_', 'aa_'), key.replace('a_', 'A_')].filter(isApiKey)).toEqual([])
})
