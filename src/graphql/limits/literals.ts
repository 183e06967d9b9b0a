import { type DocumentNode, Kind, visit } from 'graphql'
import { MAX_VIOLATIONS } from './limits.ts'

const MAX_LITERAL_DEPTH = 16
/** graphql indents every line of a block string at each level of nesting. */
const MAX_INDENTATIONS = 20_000
const FEW_INDENTATIONS = 1000

const indentations = new WeakMap<DocumentNode, number>()

export function excessOfLiterals(document: DocumentNode): string | null {
  let [depth, deepest, indented] = [0, 0, 0]
  const nested = {
    enter: (): void => {
      deepest = Math.max(deepest, ++depth)
    },
    leave: (): void => {
      depth--
    },
  }
  visit(document, {
    [Kind.LIST]: nested,
    [Kind.OBJECT]: nested,
    [Kind.STRING]: ({ block, value }) => {
      if (block === true) indented += depth * linesOf(value)
    },
  })
  indentations.set(document, indented)
  if (deepest > MAX_LITERAL_DEPTH) return `Nest values at most ${MAX_LITERAL_DEPTH} deep, or send them as variables.`
  if (indented > MAX_INDENTATIONS) return 'Send texts of so many lines as variables.'
  return null
}

export const violationsOf = (document: DocumentNode): number =>
  (indentations.get(document) ?? 0) > FEW_INDENTATIONS ? 1 : MAX_VIOLATIONS

function linesOf(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
