import { parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { excessOfOverlaps } from '../../../src/graphql/limits/limit-plugin.ts'

const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ')
const excessIn = (text: string) => excessOfOverlaps(parse(text))

describe('a document is refused that', () => {
  test.each([
    ['selects a field 64 times', `{ catalog { ${many(64, () => 'catalogVersion')} } }`],
    ['selects a list 64 times', `{ catalog { ${many(64, () => 'endpoints { slug }')} } }`],
    [
      'selects lists 9 times in a list that it selects 8 times',
      `{ catalog { ${many(8, () => `endpoints { ${many(9, () => 'voices { slug }')} }`)} } }`,
    ],
    ['selects a field under one alias 64 times', `{ ${many(64, () => 'a: catalog { __typename }')} }`],
    [
      'selects a field 64 times in inline fragments',
      `{ ${many(64, () => '... on Query { catalog { __typename } }')} }`,
    ],
    [
      'selects a field 64 times in fragments',
      `{ ${many(8, (i) => `...f${i}`)} } ${many(8, (i) => `fragment f${i} on Query { ${many(8, () => 'catalog { __typename }')} }`)}`,
    ],
    [
      'spreads 64 fragments at one place',
      `{ ${many(64, (i) => `...f${i}`)} } ${many(64, (i) => `fragment f${i} on Query { field${i} }`)}`,
    ],
    ['does so in an operation that is not executed', `query a { b } query c { ${many(64, () => 'd')} }`],
  ])('%s', (_what, text) => {
    expect(excessIn(text)).toBe('Select the same field less often, or send an API key.')
  })
})

describe('a document is let through that', () => {
  test.each([
    ['selects a field 63 times', `{ catalog { ${many(63, () => 'catalogVersion')} } }`],
    ['selects 200 fields', `{ catalog { ${many(200, (i) => `field${i}`)} } }`],
    ['selects a field under 50 aliases', `{ ${many(50, (i) => `a${i}: catalog { endpoints { slug name } }`)} }`],
    [
      'reads the same of 100 fields',
      `{ ${many(100, (i) => `field${i} { ...f }`)} } fragment f on Endpoint { slug name voices { slug name } }`,
    ],
    [
      'selects a list in 10 fragments',
      `{ catalog { ${many(10, (i) => `...f${i}`)} } } ${many(10, (i) => `fragment f${i} on Catalog { endpoints { slug name voices { slug name } } }`)}`,
    ],
  ])('%s', (_what, text) => {
    expect(excessIn(text)).toBeNull()
  })
})
