import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

export function selectedFields(info: GraphQLResolveInfo, of: string | null = null): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (set: SelectionSetNode | undefined, below: string | null): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, below)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) visit(info.fragments[selection.name.value]?.selectionSet, below)
      else if (below === null) names.add(selection.name.value)
      else if (selection.name.value === below) visit(selection.selectionSet, null)
    }
  }
  for (const node of info.fieldNodes) visit(node.selectionSet, of)
  return names
}

export function selectsAny(info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean {
  const among = (set: SelectionSetNode | undefined): boolean =>
    (set?.selections ?? []).some((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return among(info.fragments[selection.name.value]?.selectionSet)
      return (selection.kind === Kind.FIELD && names.has(selection.name.value)) || among(selection.selectionSet)
    })
  return info.fieldNodes.some((node) => among(node.selectionSet))
}
