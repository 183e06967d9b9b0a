import { type Detail, invalidRequest } from '../src/errors/service-error.ts'

/** The parameters of a query as the document types them: whole numbers, lists, and texts. */
export type Query = Readonly<Record<string, string | number | readonly string[]>>

interface Parametrised {
  readonly parameters?: readonly unknown[] | undefined
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly explode?: boolean
  readonly schema?: { readonly type?: string }
}

/** What JSON Schema would take for a whole number as well: 1e1, 0x10, 1.0, an empty text. */
const WHOLE_NUMBER = /^-?(0|[1-9]\d{0,18})$/

/**
 * The documented parameters of a query, typed for validation against the document; unknown ones are ignored. A number in any other
 * spelling stays a text, which no integer is.
 * @throws INVALID_REQUEST for a parameter that is repeated
 */
export function readQuery(operation: Parametrised, given: Readonly<Record<string, unknown>>): Query {
  const query: Record<string, string | number | readonly string[]> = {}
  const repeated: Detail[] = []
  for (const { name, in: place, schema, explode } of (operation.parameters ?? []) as readonly Parameter[]) {
    const value = place === 'query' ? given[name] : undefined
    if (value === undefined) continue
    if (typeof value !== 'string') repeated.push({ path: name, message: 'is repeated' })
    else if (schema?.type === 'integer') query[name] = WHOLE_NUMBER.test(value) ? Number(value) : value
    else query[name] = explode === false ? value.split(',') : value
  }
  if (repeated.length > 0) throw invalidRequest('Send each parameter once.', repeated)
  return query
}
