import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** The names of the fields that are selected of a field's own type, through fragments: what is not selected need not be computed. */
export function selectedFields(info: GraphQLResolveInfo): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value)
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet)
      else visit(info.fragments[selection.name.value]?.selectionSet)
    }
  }
  for (const node of info.fieldNodes) visit(node.selectionSet)
  return names
}
