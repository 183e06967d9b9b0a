import { type Detail, invalidRequest } from '../src/errors/service-error.ts'

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

const WHOLE_NUMBER = /^-?(0|[1-9]\d{0,18})$/

/**
 * Types the documented parameters of a query and ignores unknown ones.
 * @throws INVALID_REQUEST for a repeated parameter, and if strict for an unknown one
 */
export function readQuery(operation: Parametrised, given: Readonly<Record<string, unknown>>, isStrict = false): Query {
  if (isStrict) rejectUnknown(operation, given)
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

function rejectUnknown({ parameters = [] }: Parametrised, given: Readonly<Record<string, unknown>>): void {
  const known = (parameters as readonly Parameter[]).filter(({ in: place }) => place === 'query')
  const unknown = Object.keys(given).filter((path) => !known.some(({ name }) => name === path))
  const details = unknown.map((path) => ({ path, message: 'is not a parameter' }))
  if (details.length > 0) throw invalidRequest('Send only the parameters that this operation has.', details)
}
