import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql'
import { type Fragments, fragmentsOf } from './limits.ts'

const MAX_COST = 20_000
const ASSUMED_LENGTH = 5
const DEFAULT_PAGE = 50
const SIZES: ReadonlySet<string> = new Set(['first', 'last', 'limit'])
const SCHEMA_LENGTHS: Readonly<Record<string, number>> = {
  types: 100,
  fields: 8,
  inputFields: 6,
  enumValues: 6,
  args: 2,
}
const META_FIELDS = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]))

interface Call {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: unknown
  readonly contextValue?: unknown
}

interface Walk {
  readonly schema: GraphQLSchema
  readonly fragments: Fragments
  readonly variables: Readonly<Record<string, unknown>>
  readonly context: unknown
  cost: number
  introspection: number
}

const ofWholeSchema = new WeakMap<GraphQLSchema, number>()

export interface OperationCost {
  readonly operation: number
  readonly limit: number
}

export const operationCost = (call: Call): OperationCost => ({ operation: costOf(call).cost, limit: MAX_COST })

/** Returns a message if an operation may answer with too much. Pages multiply their content. */
export function excessiveCost(call: Call): string | null {
  const { cost, introspection } = costOf(call)
  if (cost > MAX_COST)
    return `The query may return ${cost} fields, at most ${MAX_COST} are allowed: ask for smaller pages.`
  return introspection > 0 && introspection > costOfWholeSchema(call.schema)
    ? 'Ask for less of the schema at a time.'
    : null
}

function costOfWholeSchema(schema: GraphQLSchema): number {
  const known = ofWholeSchema.get(schema)
  if (known !== undefined) return known
  const everything = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, oneOf: true }
  const query = getIntrospectionQuery({ ...everything, inputValueDeprecation: true })
  const { introspection } = costOf({ schema, document: parse(query) })
  ofWholeSchema.set(schema, introspection)
  return introspection
}

function costOf({
  schema,
  document,
  operationName,
  variableValues,
  contextValue,
}: Call): Pick<Walk, 'cost' | 'introspection'> {
  const operation = getOperationAST(document, operationName)
  const variables = { ...defaultsOf(operation), ...(variableValues as Walk['variables'] | null | undefined) }
  const walk: Walk = {
    schema,
    fragments: fragmentsOf(document),
    variables,
    context: contextValue,
    cost: 0,
    introspection: 0,
  }
  const root = operation == null ? null : schema.getRootType(operation.operation)
  if (operation != null && root != null) add(walk, operation.selectionSet, root, 1)
  return walk
}

const defaultsOf = (operation: OperationDefinitionNode | null | undefined): Record<string, unknown> =>
  Object.fromEntries(
    (operation?.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  )

/** @param outer how often the parent's list is there; `times` is how often its entries are */
function add(walk: Walk, set: SelectionSetNode, parent: GraphQLCompositeType, times: number, outer = times): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      addField(walk, selection, parent, ofList(parent, selection) ? outer : times)
      continue
    }
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : walk.fragments.get(selection.name.value)
    const type = inner?.typeCondition ? walk.schema.getType(inner.typeCondition.name.value) : parent
    if (inner !== undefined && isCompositeType(type)) add(walk, inner.selectionSet, type, times, outer)
  }
}

function addField(walk: Walk, node: FieldNode, parent: GraphQLCompositeType, times: number): void {
  const meta = META_FIELDS.get(node.name.value)
  if (meta !== undefined || isIntrospectionType(parent)) walk.introspection += times
  else walk.cost += times * costOfField(parent, node)
  const field = meta ?? fieldOf(parent, node)
  if (field === undefined || node.selectionSet === undefined) return
  const type = getNamedType(field.type)
  if (isCompositeType(type)) add(walk, node.selectionSet, type, times * lengthOf(walk, node, field, parent), times)
}

function costOfField(parent: GraphQLCompositeType, node: FieldNode): number {
  const cost = fieldOf(parent, node)?.extensions.cost
  return typeof cost === 'number' ? cost : 1
}

/** True if a field of a connection is there once, however long the page is. */
const ofList = (parent: GraphQLCompositeType, node: FieldNode): boolean =>
  fieldOf(parent, node)?.extensions.ofList === true

const fieldOf = (parent: GraphQLCompositeType, node: FieldNode) =>
  isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined

/** A connection's page is counted with the connection, so its edges count once. */
function lengthOf(
  walk: Walk,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLCompositeType,
): number {
  if (isIntrospectionType(parent)) return SCHEMA_LENGTHS[field.name] ?? 1
  const { length } = field.extensions
  if (typeof length === 'number') return length
  if (typeof length === 'function') return Math.max(1, Math.ceil(length(argumentsOf(walk, node), walk.context)))
  if (field.args.some(({ name }) => SIZES.has(name))) return pageOf(walk, node)
  const isPage = parent.name.endsWith('Connection') || parent.name.endsWith('Page')
  return isListType(getNullableType(field.type)) && !isPage ? ASSUMED_LENGTH : 1
}

const argumentsOf = ({ variables }: Walk, node: FieldNode): Record<string, unknown> =>
  Object.fromEntries(
    (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  )

function pageOf(walk: Walk, node: FieldNode): number {
  const sizes = (node.arguments ?? []).flatMap(({ name, value }) => {
    if (!SIZES.has(name.value)) return []
    if (value.kind === Kind.INT) return [Number(value.value)]
    const given = value.kind === Kind.VARIABLE ? walk.variables[value.name.value] : undefined
    return typeof given === 'number' ? [given] : []
  })
  return Math.max(1, ...(sizes.length === 0 ? [DEFAULT_PAGE] : sizes))
}
