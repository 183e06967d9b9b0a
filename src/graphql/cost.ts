import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** Fields of an answer, each counted as often as it can occur. */
const MAX_COST = 20_000
/** How many things a list without an argument for its size is taken to hold. */
const ASSUMED_LENGTH = 5
const DEFAULT_PAGE = 50
const SIZES: ReadonlySet<string> = new Set(['first', 'last', 'limit'])

interface Call {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: unknown
}

interface Walk {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Readonly<Record<string, unknown>>
  cost: number
}

/** What is wrong with a valid operation that would answer with too much; null if nothing is. Pages multiply what is in them. */
export function excessiveCost({ schema, document, operationName, variableValues }: Call): string | null {
  const operation = getOperationAST(document, operationName)
  const root = operation == null ? null : schema.getRootType(operation.operation)
  if (operation == null || root == null) return null
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const walk: Walk = { schema, fragments, variables: (variableValues ?? {}) as Walk['variables'], cost: 0 }
  add(walk, operation.selectionSet, root, 1)
  return walk.cost > MAX_COST
    ? `Ask for less at a time: this would be up to ${walk.cost} fields, of ${MAX_COST}.`
    : null
}

function add(walk: Walk, set: SelectionSetNode, parent: GraphQLCompositeType, times: number): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      addField(walk, selection, parent, times)
      continue
    }
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : walk.fragments.get(selection.name.value)
    const type = inner?.typeCondition ? walk.schema.getType(inner.typeCondition.name.value) : parent
    if (inner !== undefined && isCompositeType(type)) add(walk, inner.selectionSet, type, times)
  }
}

/** Introspection has a depth of its own, which another rule limits. */
function addField(walk: Walk, node: FieldNode, parent: GraphQLCompositeType, times: number): void {
  walk.cost += times
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
  if (field === undefined || node.selectionSet === undefined) return
  const type = getNamedType(field.type)
  if (isCompositeType(type)) add(walk, node.selectionSet, type, times * lengthOf(walk, node, field, parent))
}

/** How many things a field can hold. The edges of a connection are as many as its page: that was counted with it. */
function lengthOf(
  walk: Walk,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLCompositeType,
): number {
  if (field.args.some(({ name }) => SIZES.has(name))) return pageOf(walk, node)
  const isPage = parent.name.endsWith('Connection') || parent.name.endsWith('Page')
  return isListType(getNullableType(field.type)) && !isPage ? ASSUMED_LENGTH : 1
}

function pageOf(walk: Walk, node: FieldNode): number {
  const sizes = (node.arguments ?? []).flatMap(({ name, value }) => {
    if (!SIZES.has(name.value)) return []
    if (value.kind === Kind.INT) return [Number(value.value)]
    const given = value.kind === Kind.VARIABLE ? walk.variables[value.name.value] : undefined
    return typeof given === 'number' ? [given] : []
  })
  return Math.max(1, ...(sizes.length === 0 ? [DEFAULT_PAGE] : sizes))
}
