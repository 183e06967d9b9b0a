import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/values/json.ts'

test('the same content is the same text, which hashes of other releases rely on', () => {
  const text = '{"9":2,"10":1,"a":{"c":null,"d":[{"y":2,"z":[]}]},"b":"x","😀":2,"\uffff":1}'
  expect(canonicalJson(JSON.parse(text))).toBe(text)
  const other = { '\uffff': 1, b: 'x', '10': 1, a: { d: [{ z: [], y: 2 }], c: null }, '😀': 2, '9': 2 }
  expect(canonicalJson(other)).toBe(text)
  expect(canonicalJson([undefined, { gone: undefined }, new Date(0)])).toBe('[null,{},"1970-01-01T00:00:00.000Z"]')
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}'))).toBe('{"__proto__":{"c":2,"d":1},"b":1}')
})
