import { expect, test } from 'vitest'
import { withoutAddresses } from '../../src/generation/collect-outputs.ts'

const BASE = 'http://gpu:5000'

test.each(['a'.repeat(1_000_000), 'a.'.repeat(500_000)])(
  'a text of a million characters without a space is read once, and stays as it is',
  (text) => {
    expect(withoutAddresses(text, BASE)).toBe(text)
  },
)

test('addresses inside of addresses are looked through to a bounded depth', () => {
  expect(withoutAddresses(`https://a.example/${'https://b.example/'.repeat(3)}`, BASE)).toContain('https://b.example/')
  expect(withoutAddresses('https://a.example/'.repeat(10_000), BASE)).toBe('[address removed]')
})
