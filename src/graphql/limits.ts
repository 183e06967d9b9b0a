import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql'

/** Bytes of a request to /graphql. */
export const MAX_GRAPHQL_BODY_BYTES = 102_400
export const MAX_TOKENS = 1000
const MAX_DEPTH = 16
const MAX_FIELDS = 500
const MAX_ALIASES = 50
const MAX_ROOT_FIELDS = 20

interface Counts {
  fields: number
  aliases: number
}

/**
 * Refuses documents that are deep or wide, with their fragments spread out, before anything else looks at them. Counting stops at the
 * first limit that is passed, so the refusal is cheap however large the document would grow.
 */
export const limitsRule: ValidationRule = (context) => ({
  Document: (document) => {
    const message = excess(document)
    if (message !== null) context.reportError(new GraphQLError(message))
    return undefined
  },
})

function excess(document: DocumentNode): string | null {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const counts: Counts = { fields: 0, aliases: 0 }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    if (definition.selectionSet.selections.length > MAX_ROOT_FIELDS)
      return `Send at most ${MAX_ROOT_FIELDS} root fields.`
    const message = walk(definition.selectionSet, fragments, counts, 1)
    if (message !== null) return message
  }
  return null
}

function walk(
  set: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  counts: Counts,
  depth: number,
): string | null {
  if (depth > MAX_DEPTH) return `Nest selections at most ${MAX_DEPTH} deep.`
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      if (++counts.fields > MAX_FIELDS) return `Select at most ${MAX_FIELDS} fields.`
      if (selection.alias !== undefined && ++counts.aliases > MAX_ALIASES) return `Use at most ${MAX_ALIASES} aliases.`
    }
    const inner =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? fragments.get(selection.name.value)?.selectionSet
        : selection.selectionSet
    const message = inner === undefined ? null : walk(inner, fragments, counts, depth + 1)
    if (message !== null) return message
  }
  return null
}
