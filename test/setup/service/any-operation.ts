import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isUnionType,
} from 'graphql'

type Field = GraphQLField<unknown, unknown>

/** Values of the scalars; what is a text or an id is the caller's to say. */
const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  Boolean: false,
  URL: 'https://hooks.example.org/',
  DateTime: '2026-01-31T09:05:00.000Z',
  JSON: { text: 'Hello.', voice: 'calm' },
}
const MAX_DEPTH = 2
/** Left out: with a wrong cursor a list is refused before it is looked for. */
const PLACES: ReadonlySet<string> = new Set(['after', 'last', 'before'])

/** An operation that calls a root field with all of its arguments, every text and id among them being `text`, and selects what it finds. */
export function operationOf(kind: 'query' | 'mutation' | 'subscription', field: Field, text: string) {
  const args = field.args.filter(({ name }) => !PLACES.has(name))
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ')
  const variables = Object.fromEntries(args.map(({ name, type }) => [name, sampleOf(type, text, 0)]))
  const call = `${field.name}${args.length === 0 ? '' : `(${passed})`}${selectionOf(field.type, 0)}`
  return { query: `${kind} ${args.length === 0 ? '' : `(${declared})`} { ${call} }`, variables }
}

function sampleOf(type: GraphQLInputType, text: string, depth: number): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return depth > 1 ? [] : [sampleOf(nullable.ofType, text, depth)]
  if (isEnumType(nullable)) return nullable.getValues()[0]!.name
  if (!isInputObjectType(nullable)) return SCALARS[nullable.toString()] ?? text
  if (depth > 1) return {}
  return Object.fromEntries(
    Object.values(nullable.getFields()).map((one) => [one.name, sampleOf(one.type, text, depth + 1)]),
  )
}

/** Everything that needs no argument, a few levels deep. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (isUnionType(named)) {
    const members = named
      .getTypes()
      .map((member, index) => ` ... on ${member} ${fieldsOf(member, depth, `m${index}_`)}`)
    return ` { __typename${members.join('')} }`
  }
  return isObjectType(named) || isInterfaceType(named) ? ` ${fieldsOf(named, depth, '')}` : ''
}

/** @param alias keeps apart the fields of a union's members, whose types may differ */
function fieldsOf(type: { getFields(): Record<string, Field> }, depth: number, alias: string): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const isLeaf = isLeafType(getNamedType(field.type))
    if (field.args.length > 0 || (!isLeaf && depth >= MAX_DEPTH)) return []
    return [`${alias === '' ? '' : `${alias}${field.name}: `}${field.name}${selectionOf(field.type, depth + 1)}`]
  })
  return `{ ${['__typename', ...fields].join(' ')} }`
}
