import { GraphQLError, GraphQLScalarType } from 'graphql'
import { formatTimestamp, parseTimestamp } from '../values/timestamp.ts'
import { builder } from './builder.ts'

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType({
    name: 'DateTime',
    description: 'Time as RFC 3339 with milliseconds, in UTC: `2026-01-31T09:05:00.000Z`.',
    specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
    coerceOutputValue: (value) => formatTimestamp(value as Date),
    coerceInputValue: toDate,
  }),
)

builder.addScalarType(
  'JSON',
  new GraphQLScalarType({
    name: 'JSON',
    description: 'Any JSON value.',
    specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc8259',
  }),
)

builder.addScalarType(
  'URL',
  new GraphQLScalarType({
    name: 'URL',
    description: 'Absolute URL as RFC 3986.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3986',
    coerceInputValue: toUrl,
  }),
)

function toDate(value: unknown): Date {
  const date = typeof value === 'string' ? parseTimestamp(value) : null
  if (date === null) throw new GraphQLError('Send a DateTime that exists, such as 2026-01-31T09:05:00.000Z.')
  return date
}

function toUrl(value: unknown): string {
  if (typeof value !== 'string' || !URL.canParse(value)) throw new GraphQLError('Send an absolute URL.')
  return value
}

export const describedEnum = <T extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<T, string>>,
) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(
      Object.entries<string>(meanings).map(([value, meaning]) => [
        value.toUpperCase(),
        { value: value as T, description: meaning },
      ]),
    ),
  })

export const TimeRangeInput = builder.inputType('TimeRange', {
  description: 'Range of time; either end may be open.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'First moment of the range, inclusive; open if absent.' }),
    to: t.field({ type: 'DateTime', description: 'End of the range, exclusive; open if absent.' }),
  }),
})
