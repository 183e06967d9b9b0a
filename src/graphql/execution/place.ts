import type { GraphQLError, GraphQLResolveInfo } from 'graphql'
import type { FieldPlan, Plan } from './plan.ts'

export type Path = GraphQLResolveInfo['path'] | undefined

/** One execution of a plan. */
export interface Run {
  readonly plan: Plan
  readonly root: unknown
  readonly context: unknown
  readonly variables: Record<string, unknown>
  readonly errors: GraphQLError[]
}

/** Where a value stands: the field that it is of, and its place in the answer. */
export interface Place {
  readonly field: FieldPlan
  readonly prev: Path
  readonly key: string | number
}

/** The fourth argument of resolvers. */
export function infoOf({ plan, root, variables }: Run, place: Place): GraphQLResolveInfo {
  const { nodes, parent, definition } = place.field
  return {
    fieldName: definition.name,
    fieldNodes: nodes,
    returnType: definition.type,
    parentType: parent,
    path: pathOf(place),
    schema: plan.schema,
    fragments: plan.fragments,
    rootValue: root,
    operation: plan.operation,
    variableValues: variables,
  }
}

export const pathOf = ({ field, prev, key }: Place): NonNullable<Path> => ({
  prev,
  key,
  typename: typeof key === 'string' ? field.parent.name : undefined,
})

export const nameOf = ({ field: { parent, definition } }: Place): string => `${parent.name}.${definition.name}`
