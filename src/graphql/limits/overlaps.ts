import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

const MAX_ANONYMOUS_OVERLAPS = 2000
const SPREADS = '...'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

interface Group {
  size: number
  readonly sets: SelectionSetNode[]
}

/** Returns a message if a document selects the same again and again, because graphql compares each pair of fields and fragments. Call it after excessOf. */
export function excessOfOverlaps(document: DocumentNode): string | null {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  let pairs = 0
  for (const definition of document.definitions) {
    if ('selectionSet' in definition) pairs += pairsIn([definition.selectionSet], fragments)
  }
  return pairs > MAX_ANONYMOUS_OVERLAPS ? 'Select the same field less often, or send an API key.' : null
}

function pairsIn(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const groups = new Map<string, Group>()
  for (const set of sets) collect(set, fragments, groups)
  let pairs = 0
  for (const { size, sets: inner } of groups.values()) {
    pairs += (size * (size - 1)) / 2
    if (inner.length > 0) pairs += pairsIn(inner, fragments)
  }
  return pairs
}

function collect(set: SelectionSetNode, fragments: Fragments, groups: Map<string, Group>): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      collect(selection.selectionSet, fragments, groups)
    } else if (selection.kind === Kind.FIELD) {
      count(groups, (selection.alias ?? selection.name).value, selection.selectionSet)
    } else {
      count(groups, SPREADS)
      const fragment = fragments.get(selection.name.value)
      if (fragment !== undefined) collect(fragment.selectionSet, fragments, groups)
    }
  }
}

function count(groups: Map<string, Group>, name: string, inner?: SelectionSetNode): void {
  const group = groups.get(name) ?? { size: 0, sets: [] }
  group.size += 1
  if (inner !== undefined) group.sets.push(inner)
  groups.set(name, group)
}
