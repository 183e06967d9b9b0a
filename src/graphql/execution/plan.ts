import {
  type DocumentNode,
  defaultFieldResolver,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql'

/** How a value of a type becomes part of an answer. */
export type Shape = { readonly nonNull: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly fields: readonly FieldPlan[] }
  | {
      readonly kind: 'abstract'
      readonly type: GraphQLAbstractType
      fieldsOf(type: GraphQLObjectType): readonly FieldPlan[]
    }
)

/** A selected field of one type, all that its document and schema say of it. */
export interface FieldPlan {
  readonly key: string
  readonly nodes: readonly [FieldNode, ...FieldNode[]]
  readonly parent: GraphQLObjectType
  readonly definition: GraphQLField<unknown, unknown>
  readonly resolve: GraphQLFieldResolver<unknown, unknown>
  /** Its resolver may look at the fourth argument. */
  readonly wantsInfo: boolean
  readonly shape: Shape
}

/** An operation, its selections sorted out. */
export interface Plan {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Record<string, FragmentDefinitionNode>
  readonly fields: readonly FieldPlan[]
}

type Call = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>
type Planning = Pick<Plan, 'schema' | 'fragments'>

const plans = new WeakMap<OperationDefinitionNode, Plan | null>()

/**
 * The plan of a valid query or subscription; remembered as long as its document is. Null for mutations, and for operations that select
 * by directives or ask for the schema.
 */
export function planOf({ schema, document, operationName }: Call): Plan | null {
  const operation = getOperationAST(document, operationName)
  if (operation == null || operation.operation === OperationTypeNode.MUTATION) return null
  const known = plans.get(operation)
  if (known !== undefined && (known === null || known.schema === schema)) return known
  const plan = toPlan(schema, document, operation)
  plans.set(operation, plan)
  return plan
}

function toPlan(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Plan | null {
  const root = schema.getRootType(operation.operation)
  if (root == null || !isPlannable(schema, document)) return null
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null)
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition
  }
  return { schema, operation, fragments, fields: planFields({ schema, fragments }, root, [operation.selectionSet]) }
}

/**
 * What varies from call to call, and what is rare, is left to graphql's own executor. A type that judges its values is none of this
 * schema's. An answer's keys are set on plain objects, where one would set the prototype.
 */
function isPlannable(schema: GraphQLSchema, { definitions }: DocumentNode): boolean {
  const isPlain = (set: SelectionSetNode | undefined): boolean =>
    set === undefined ||
    set.selections.every(
      (selection) =>
        !selection.directives?.length &&
        (selection.kind !== Kind.FIELD || (isOrdinary(selection.name.value) && isOrdinary(selection.alias?.value))) &&
        (selection.kind === Kind.FRAGMENT_SPREAD || isPlain(selection.selectionSet)),
    )
  const judges = Object.values(schema.getTypeMap()).some((type) => isObjectType(type) && type.isTypeOf != null)
  return (
    !judges && definitions.every((definition) => !('selectionSet' in definition) || isPlain(definition.selectionSet))
  )
}

const isOrdinary = (name: string | undefined): boolean => !name?.startsWith('__') || name === TypeNameMetaFieldDef.name

function planFields(
  planning: Planning,
  parent: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
): FieldPlan[] {
  const groups = new Map<string, [FieldNode, ...FieldNode[]]>()
  const visited = new Set<string>()
  for (const set of sets) if (set !== undefined) collect(planning, parent, set, groups, visited)
  return [...groups].map(([key, nodes]) => planField(planning, parent, key, nodes))
}

function collect(
  planning: Planning,
  parent: GraphQLObjectType,
  set: SelectionSetNode,
  groups: Map<string, [FieldNode, ...FieldNode[]]>,
  visited: Set<string>,
): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [selection])
      else group.push(selection)
      continue
    }
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD
    if (isSpread && visited.has(selection.name.value)) continue
    if (isSpread) visited.add(selection.name.value)
    const inner = isSpread ? planning.fragments[selection.name.value] : selection
    if (inner !== undefined && fits(planning.schema, inner.typeCondition?.name.value, parent)) {
      collect(planning, parent, inner.selectionSet, groups, visited)
    }
  }
}

function fits(schema: GraphQLSchema, condition: string | undefined, parent: GraphQLObjectType): boolean {
  if (condition === undefined || condition === parent.name) return true
  const type: GraphQLNamedType | undefined = schema.getType(condition)
  return isAbstractType(type) && schema.isSubType(type, parent)
}

function planField(
  planning: Planning,
  parent: GraphQLObjectType,
  key: string,
  nodes: [FieldNode, ...FieldNode[]],
): FieldPlan {
  const name = nodes[0].name.value
  const definition = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parent.getFields()[name]!
  const resolve = definition === TypeNameMetaFieldDef ? () => parent.name : (definition.resolve ?? defaultFieldResolver)
  const shape = toShape(planning, definition.type, nodes)
  // One that takes its arguments as a list has no length.
  const wantsInfo = resolve.length === 0 || resolve.length > 3
  return { key, nodes, parent, definition, resolve, wantsInfo, shape }
}

function toShape(planning: Planning, type: GraphQLOutputType, nodes: readonly FieldNode[], nonNull = false): Shape {
  if (isNonNullType(type)) return toShape(planning, type.ofType, nodes, true)
  if (isListType(type)) return { kind: 'list', nonNull, item: toShape(planning, type.ofType, nodes) }
  if (isLeafType(type)) return { kind: 'leaf', nonNull, type }
  const sets = nodes.map(({ selectionSet }) => selectionSet)
  if (isObjectType(type)) return { kind: 'object', nonNull, fields: planFields(planning, type, sets) }
  // As they turn up: all of them in advance would be many where interfaces are nested.
  const planned = new Map<GraphQLObjectType, readonly FieldPlan[]>()
  const fieldsOf = (runtimeType: GraphQLObjectType): readonly FieldPlan[] => {
    const fields = planned.get(runtimeType) ?? planFields(planning, runtimeType, sets)
    planned.set(runtimeType, fields)
    return fields
  }
  return { kind: 'abstract', nonNull, type, fieldsOf }
}
