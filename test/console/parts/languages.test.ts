import { expect, test } from 'vitest'
import { LANGUAGES, langOf } from '../../../src/console/parts/languages.ts'

test('each language that is offered has a code of its own, and nothing else has one', () => {
  const codes = LANGUAGES.map(langOf)
  expect([
    new Set(codes).size,
    langOf('German'),
    codes.every((code) => Intl.getCanonicalLocales(code)[0] === code),
  ]).toEqual([LANGUAGES.length, 'de', true])
  expect(['auto', 'toString', '', null, undefined, 1].map(langOf)).toEqual(Array(6).fill(undefined))
})
