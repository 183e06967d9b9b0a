import type { HeardRange } from '../timing/speech-timing.ts'
import { MarkupViolation } from './script.ts'
import { readSsml, UNHEARD } from './ssml.ts'
import { type XmlToken, xmlTokens } from './xml-tokens.ts'

type Open = Extract<XmlToken, { kind: 'open' }>
type Text = Extract<XmlToken, { kind: 'text' }>

/** Returns the shown ranges of SSML without tags and with entities resolved; null if the markup is invalid. Pure. */
export function shownText(text: string): HeardRange[] | null {
  try {
    const cuts = readSsml(text).segments.map(({ spans }) => spans.at(-1)?.start ?? 0)
    return withCuts([...shownOf([...xmlTokens(text)])], cuts)
  } catch (error) {
    if (error instanceof MarkupViolation) return null
    throw error
  }
}

export const cutBetween = (heard: readonly HeardRange[]): HeardRange[] =>
  withCuts(
    heard,
    heard.slice(1).map(({ start }) => start),
  )

function withCuts(heard: readonly HeardRange[], cuts: readonly number[]): HeardRange[] {
  const all: HeardRange[] = []
  let next = 0
  for (const range of heard) {
    for (; next < cuts.length && cuts[next]! <= range.start; next++)
      all.push({ start: cuts[next]!, end: cuts[next]!, isCut: true })
    for (; next < cuts.length && cuts[next]! < range.end; next++);
    all.push(range)
  }
  return all
}

function* shownOf(tokens: readonly XmlToken[]): Generator<HeardRange> {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'open' && UNHEARD.has(token.name)) at = endOf(tokens, at)
    if (token.kind === 'text') yield shownAsIs(token)
    if (token.kind !== 'open' || token.name !== 'sub') continue
    const end = endOf(tokens, at)
    yield* shownOfSub(token, tokens.slice(at + 1, end))
    at = end
  }
}

function* shownOfSub({ start, end, attributes }: Open, content: readonly XmlToken[]): Generator<HeardRange> {
  const texts = content.filter((token) => token.kind === 'text')
  const alias = attributes.get('alias')
  if (alias === undefined || texts.some(({ text }) => text.trim() !== '')) yield* texts.map(shownAsIs)
  else if (texts.length === 0) yield { start, end, shown: alias }
  else yield { start: texts[0]!.start, end: texts.at(-1)!.end, shown: ` ${alias} ` }
}

const shownAsIs = ({ text, start, end }: Text): HeardRange =>
  text.length === end - start ? { start, end } : { start, end, shown: text }

function endOf(tokens: readonly XmlToken[], begin: number): number {
  const { name } = tokens[begin] as Open
  let depth = 0
  for (let at = begin; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'text' || token.name !== name) continue
    if (token.kind === 'close') depth--
    else if (!token.isEmpty) depth++
    if (depth === 0) return at
  }
  return tokens.length
}
