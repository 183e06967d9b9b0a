import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { excessiveCost } from '../../../src/graphql/limits/cost.ts'
import { graphqlSchema } from '../../../src/graphql/schema.ts'

const schema = graphqlSchema
const costly = (query: string, variableValues?: object, contextValue?: object) =>
  excessiveCost({ schema, document: parse(query), contextValue, ...(variableValues && { variableValues }) })
const times = (count: number, field: string) =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ')} }`
const POINT =
  'points { at accepted completed failed waiting waitMs { p50 p95 p99 } runMs { p50 p95 p99 } audioSeconds }'
const YEAR = 'from: "2025-10-01T00:00:00Z", to: "2026-11-20T00:00:00Z", step: HOUR'

test('one series of ten thousand points may be asked for with all that there is about it, twenty may not', () => {
  const now = () => new Date('2026-11-20T00:00:00Z')
  const costsOf = (query: string, variables?: object) => costly(query, variables, { now })
  expect(costsOf(times(1, `jobSeries(${YEAR}) { step ${POINT} }`))).toBeNull()
  expect(costsOf(times(20, `jobSeries(${YEAR}) { step ${POINT} }`))).toMatch(/may return \d+ fields/)
  const query = `query ($from: DateTime!, $to: DateTime = "2026-11-20T00:00:00Z") { ${Array.from(
    { length: 20 },
    (_, at) => `a${at}: jobSeries(from: $from, to: $to, step: HOUR) { ${POINT} }`,
  ).join(' ')} }`
  expect(costsOf(query, { from: '2025-10-01T00:00:00Z' })).toMatch(/may return/)
  expect(costsOf(query, { from: '2026-11-19T00:00:00Z' })).toBeNull()
  for (const from of ['long ago', null, 5, { toString: null }, [{ toString: 1 }]])
    expect(costsOf(query, { from })).toMatch(/may return/)
  // Without an end it goes on to the time of the request.
  const open = (from: string) => times(20, `jobSeries(from: "${from}", step: HOUR) { ${POINT} }`)
  expect(costsOf(open('2025-10-01T00:00:00Z'))).toMatch(/may return/)
  expect(costsOf(open('2026-11-19T00:00:00Z'))).toBeNull()
})

test.each([[[{ toString: null }]], [['constructor']], [{ toString: 1 }], [5]])(
  'groups of %j are no reason to fail here',
  (groups) => {
    expect(costly('query ($groups: [JobGroup!]) { jobStats(groupBy: $groups) { jobs } }', { groups })).toBeNull()
  },
)

test('the count of a list costs a hundred fields, and a page costs the same by its nodes as by its edges', () => {
  expect(costly(times(198, 'users(first: 1) { totalCount }'))).toBeNull()
  expect(costly(times(199, 'users(first: 1) { totalCount }'))).toMatch(`may return ${199 * 101} fields`)
  expect(costly(times(198, 'users(first: 100) { totalCount }'))).toBeNull()
  expect(costly(times(198, 'users(first: 100) { ... on UserConnection { totalCount } }'))).toBeNull()
  for (const [field, each] of [
    ['users(first: 100) { nodes { id } }', 201],
    ['users(first: 100) { edges { cursor } }', 201],
  ] as const)
    expect(costly(times(100, field))).toMatch(`may return ${100 * each} fields`)
})

test.each([
  ['groups by the hour', 'jobStats(groupBy: [HOUR]) { jobs characters credits waitMs { p50 p95 p99 } }'],
  ['a lexicon', 'lexicon { entries { grapheme alias language } }'],
])('%s may be asked for, and not twenty times', (_what, field) => {
  expect(costly(times(1, field))).toBeNull()
  expect(costly(times(20, field))).toMatch(/may return/)
})

test.each([
  [1, 20, 20],
  [5, 100, 4],
  [20, 100, 1],
  [100, 200, 1],
  [1, 2000, 1],
])('a catalog of %i endpoints with %i voices each may be asked for %i times', (endpoints, voices, most) => {
  const open = Array.from({ length: endpoints }, () => ({ voices: Array(voices).fill({}) }))
  // Restricted and unpublished endpoints among all of them change nothing.
  const restricted = new Map(Array.from({ length: 900 }, (_nothing, n) => [n, { voices: Array(90).fill({}) }]))
  const context = { catalog: { current: { open, endpoints: restricted } } }
  const whole = 'catalog { catalogVersion endpoints { slug name voices { id slug name description kind language } } }'
  const isRefused = (count: number) => costly(times(count, whole), undefined, context) !== null
  expect([isRefused(most), isRefused(most + 5)]).toEqual([false, most < 20])
  expect(costly(whole.replace('catalog { catalogVersion endpoints', '{ myEndpoints'), undefined, context)).toBeNull()
})
