import { MarkupViolation } from './script.ts'
import { type XmlToken, xmlTokens } from './xml-tokens.ts'

/** A `<mark>` of SSML; `at` in UTF-16 units of the text. */
export interface TextMark {
  readonly name: string
  readonly at: number
}

export function marksIn(text: string): TextMark[] {
  if (!text.includes('<mark')) return []
  try {
    return [...xmlTokens(text)].flatMap(markOf)
  } catch (error) {
    if (error instanceof MarkupViolation) return []
    throw error
  }
}

function markOf(token: XmlToken): TextMark[] {
  const name = token.kind === 'open' && token.name === 'mark' ? token.attributes.get('name') : undefined
  return name === undefined ? [] : [{ name, at: token.start }]
}
