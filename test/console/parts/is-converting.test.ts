import { expect, test } from 'vitest'
import { isConverting } from '../../../src/console/parts/is-converting.ts'

test('keys of a conversion are told apart, also the Enter that ends one in Safari', () => {
  expect(isConverting({ isComposing: true, keyCode: 13 })).toBe(true)
  expect(isConverting({ isComposing: false, keyCode: 229 })).toBe(true)
  expect(isConverting({ isComposing: false, keyCode: 13 })).toBe(false)
})
