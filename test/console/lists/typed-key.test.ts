import { expect, test } from 'vitest'
import { typedKey } from '../../../src/console/lists/typed-key.ts'

const id = (letter: string): string => `key_${letter.repeat(26)}`
const NAMES = new Map([
  [id('a'), 'Site'],
  [id('b'), 'twin'],
  [id('c'), 'twin'],
])

test.each([
  ['', { value: '' }],
  [' site ', { value: id('a') }],
  [id('z'), { value: id('z') }],
  ['twin', { error: `Type the id of one of them: ${id('b')} or ${id('c')}.` }],
  ['none', { error: 'There is no key "none".' }],
])('%j means a key, or is said to mean none', (text, expected) => {
  expect(typedKey(text, NAMES)).toEqual(expected)
})

test('a name is only said to be of no key where all names are known', () => {
  const many = new Map(Array.from({ length: 100 }, (_, n) => [`key_${n}`, `key ${n}`]))
  for (const names of [new Map<string, string>(), many])
    expect(typedKey('other', names)).toEqual({ error: 'No key "other" is among the newest: type its id.' })
})
