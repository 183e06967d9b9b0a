import { buildSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import type { ServiceError } from '../../../src/errors/service-error.ts'
import { variableViolations } from '../../../src/graphql/limits/literals.ts'

const schema = buildSchema(`
  type Query { jobs(filter: Filter): Int }
  input Filter { statuses: [Status!] limit: Int created: Range }
  input Range { from: String! }
  enum Status { QUEUED }
`)
const document = parse('query ($f: Filter) { jobs(filter: $f) }')
const LONG = 'x'.repeat(10_000)

function detailsOf(filter: unknown, hideSuggestions = false) {
  const error = variableViolations({ schema, document, variableValues: { f: filter } }, hideSuggestions)
  return (error?.originalError as ServiceError | undefined)?.details
}

describe('a variable that does not fit its type', () => {
  test.each([
    [
      { statuse: LONG },
      '/variables/f',
      'Expected value of type "Filter" not to include unknown field "statuse". Did you mean "statuses"?',
    ],
    [{ unlike: LONG }, '/variables/f', 'Expected value of type "Filter" not to include unknown field "unlike".'],
    [{ created: LONG }, '/variables/f/created', 'Expected value of type "Range" to be an object.'],
    [
      { created: { till: LONG } },
      '/variables/f/created',
      'Expected value of type "Range" to include required field "from".',
    ],
  ])('is reported with its path, and without what was sent: %#', (filter, path, message) => {
    expect(detailsOf(filter)?.[0]).toEqual({ path, message })
  })

  test('is reported without a hint where hints are hidden', () => {
    expect(detailsOf({ statuse: 1 }, true)?.[0]?.message).toBe(
      'Expected value of type "Filter" not to include unknown field "statuse".',
    )
  })

  test('is reported for each of its parts', () => {
    const paths = detailsOf({ statuses: ['QUEUED', 'LOST'], limit: 'many' })?.map(({ path }) => path)
    expect(paths).toEqual(['/variables/f/statuses/1', '/variables/f/limit'])
  })

  test('is reported for 20 of its parts, and for fewer where graphql would print a long variable for each', () => {
    const wrong = (count: number, more = {}) =>
      detailsOf({ ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1])), ...more })
    expect([wrong(400)?.length, wrong(4000)?.length]).toEqual([20, 4])
    expect(wrong(400, { statuses: ['\n'.repeat(90_000)] })?.length).toBe(2)
  })

  test('is not reported where it fits, or is absent', () => {
    expect([detailsOf({ statuses: ['QUEUED'] }), detailsOf(undefined)]).toEqual([undefined, undefined])
  })
})
