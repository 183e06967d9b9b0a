import type { HeardRange } from '../timing/speech-timing.ts'
import { MarkupViolation } from './script.ts'
import { type XmlToken, xmlTokens } from './xml-tokens.ts'

type Open = Extract<XmlToken, { kind: 'open' }>
type Text = Extract<XmlToken, { kind: 'text' }>

/** What of a text in SSML is shown: all but its tags, entities as what they stand for. Null where it cannot be read. Pure. */
export function shownText(text: string): HeardRange[] | null {
  try {
    return [...shownOf([...xmlTokens(text)])]
  } catch (error) {
    if (error instanceof MarkupViolation) return null
    throw error
  }
}

function* shownOf(tokens: readonly XmlToken[]): Generator<HeardRange> {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'text') yield shownAsIs(token)
    if (token.kind !== 'open' || token.name !== 'sub') continue
    const end = token.isEmpty ? at : endOfSub(tokens, at)
    yield* shownOfSub(token, tokens.slice(at + 1, end))
    at = end
  }
}

/** What an alias stands for; the alias itself where that is nothing to be seen. Those within it are not heard. */
function* shownOfSub({ start, end, attributes }: Open, content: readonly XmlToken[]): Generator<HeardRange> {
  const texts = content.filter((token) => token.kind === 'text')
  const alias = attributes.get('alias')
  if (alias === undefined || texts.some(({ text }) => text.trim() !== '')) yield* texts.map(shownAsIs)
  else if (texts.length === 0) yield { start, end, shown: alias }
  else yield { start: texts[0]!.start, end: texts.at(-1)!.end, shown: ` ${alias} ` }
}

const shownAsIs = ({ text, start, end }: Text): HeardRange =>
  text.length === end - start ? { start, end } : { start, end, shown: text }

/** Where the end of a `sub` stands that begins somewhere. */
function endOfSub(tokens: readonly XmlToken[], begin: number): number {
  let depth = 0
  for (let at = begin; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'text' || token.name !== 'sub') continue
    if (token.kind === 'close') depth--
    else if (!token.isEmpty) depth++
    if (depth === 0) return at
  }
  return tokens.length
}
