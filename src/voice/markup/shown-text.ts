import type { HeardRange } from '../timing/speech-timing.ts'
import { MarkupViolation } from './script.ts'
import { type XmlToken, xmlTokens } from './xml-tokens.ts'

/** What of a text in SSML is shown: all but its tags, entities as what they stand for. Null where it cannot be read. Pure. */
export function shownText(text: string): HeardRange[] | null {
  try {
    const tokens = [...xmlTokens(text)]
    return tokens.flatMap((token, index) => shownOf(token, tokens[index + 1]))
  } catch (error) {
    if (error instanceof MarkupViolation) return null
    throw error
  }
}

function shownOf(token: XmlToken, next: XmlToken | undefined): HeardRange[] {
  const { start, end } = token
  if (token.kind === 'text')
    return [token.text.length === end - start ? { start, end } : { start, end, shown: token.text }]
  const hasAlias = token.kind === 'open' && token.name === 'sub' && (token.isEmpty || next?.kind === 'close')
  const alias = hasAlias ? token.attributes.get('alias') : undefined
  return alias === undefined ? [] : [{ start, end, shown: alias }]
}
