import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

export const MAX_GRAPHQL_BODY_BYTES = 102_400
export const MAX_DOCUMENT_CHARACTERS = MAX_GRAPHQL_BODY_BYTES
export const MAX_TOKENS = 1000
const MAX_DEPTH = 16
const MAX_SELECTIONS = 500
const MAX_ALIASES = 50
const MAX_DIRECTIVES = 50
const MAX_ROOT_FIELDS = 20
const MAX_VARIABLE_DEPTH = 32
/** A chapter of 2,000 paragraphs has as many. */
const MAX_VARIABLE_VALUES = 19_000
export const MAX_BODY_VALUES = { caller: 20_000, anonymous: 500 }
export const MAX_ANONYMOUS_CHARACTERS = 16_384
export const MAX_UNKNOWN_MESSAGE_BYTES = 16_384
export const MAX_VIOLATIONS = 10
export const MAX_LINES = MAX_TOKENS

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

interface Counts {
  rootFields: number
  selections: number
  aliases: number
  directives: number
}

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])))

/** Returns a message if a document is too deep or too wide, fragments spread out. Counting stops at the first limit, so a rejection is cheap. */
export function excessOf(document: DocumentNode): string | null {
  const fragments = fragmentsOf(document)
  const counts: Counts = { rootFields: 0, selections: 0, aliases: 0, directives: 0 }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue
    counts.rootFields = definition.kind === Kind.OPERATION_DEFINITION ? 0 : Number.NEGATIVE_INFINITY
    const message = walk(definition.selectionSet, fragments, counts, 1)
    if (message !== null) return message
  }
  return null
}

function walk(set: SelectionSetNode, fragments: Fragments, counts: Counts, depth: number): string | null {
  if (depth > MAX_DEPTH) return `Nest selections at most ${MAX_DEPTH} deep.`
  for (const selection of set.selections) {
    if (++counts.selections > MAX_SELECTIONS) return `Select at most ${MAX_SELECTIONS} fields.`
    counts.directives += selection.directives?.length ?? 0
    if (counts.directives > MAX_DIRECTIVES) return `Use at most ${MAX_DIRECTIVES} directives.`
    if (selection.kind === Kind.FIELD && selection.alias !== undefined && ++counts.aliases > MAX_ALIASES) {
      return `Use at most ${MAX_ALIASES} aliases.`
    }
    const isField = selection.kind === Kind.FIELD
    if (isField && depth === 1 && ++counts.rootFields > MAX_ROOT_FIELDS)
      return `Send at most ${MAX_ROOT_FIELDS} root fields.`
    const inner =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? fragments.get(selection.name.value)?.selectionSet
        : selection.selectionSet
    // The limit of selections ends fragments that spread themselves.
    const message = inner === undefined ? null : walk(inner, fragments, counts, isField ? depth + 1 : depth)
    if (message !== null) return message
  }
  return null
}

export function excessOfVariables(variables: unknown): string | null {
  let [depth, count] = [0, 0]
  for (const values of levelsOf(variables)) {
    if (depth++ > MAX_VARIABLE_DEPTH) return 'Nest variables less deeply.'
    count += values
    if (count > MAX_VARIABLE_VALUES) return `Send at most ${MAX_VARIABLE_VALUES} values in variables.`
  }
  return null
}

/** The number of values level by level, because a value may be nested more deeply than the stack allows. */
export function* levelsOf(value: unknown): Generator<number, void> {
  for (let level = [value]; level.length > 0; ) {
    yield level.length
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []))
  }
}
