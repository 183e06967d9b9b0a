import {
  type ASTVisitor,
  type DirectiveNode,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

const CONDITIONS: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name])

/** A subscription's field may not depend on a variable: without it there is nothing to follow. graphql's own rule does not look yet. */
export const plainSubscription = (context: ValidationContext): ASTVisitor => ({
  OperationDefinition: ({ operation, selectionSet }) => {
    if (operation !== OperationTypeNode.SUBSCRIPTION) return
    for (const nodes of conditionsIn(context, selectionSet, new Set())) {
      context.reportError(new GraphQLError(`Leave @${nodes.name.value} off the field of a subscription.`, { nodes }))
    }
  },
})

function conditionsIn(context: ValidationContext, set: SelectionSetNode, visited: Set<string>): DirectiveNode[] {
  return set.selections.flatMap((selection) => {
    const own = (selection.directives ?? []).filter(({ name }) => CONDITIONS.has(name.value))
    if (selection.kind === Kind.FIELD) return own
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return [...own, ...conditionsIn(context, selection.selectionSet, visited)]
    const name = selection.name.value
    const fragment = visited.has(name) ? null : context.getFragment(name)
    visited.add(name)
    return fragment == null ? own : [...own, ...conditionsIn(context, fragment.selectionSet, visited)]
  })
}
