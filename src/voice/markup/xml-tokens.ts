import { MarkupViolation } from './script.ts'

const NAME = '[A-Za-z_][\\w:.-]{0,99}'
const OPEN = new RegExp(`<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y')
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'g')
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y')
const TEXT = /[^<&]+/y
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/iy
const STRAY = /&(?![a-z#][\w#]{0,12};)|<(?![A-Za-z_/!?])/iy
const SKIPPED = /<!--(?:[^-]|-(?!-))*-->/y
const CDATA = /<!\[CDATA\[((?:[^\]]|\](?!\]>))*)\]\]>/y
const TAG = new RegExp(
  `<(?:[!?]|/?${NAME}\\s*/?>|${NAME}\\s+${NAME}\\s*=|/?(?:speak|break|sub|mark|lang|voice|prosody|say-as|emphasis|phoneme)\\b)`,
)
const PROLOG = /^\s*<\?xml\s[^?<>]*\?>/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const CONTROL = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u

export type XmlToken =
  | { readonly kind: 'text'; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'open'
      readonly name: string
      readonly attributes: ReadonlyMap<string, string>
      readonly isEmpty: boolean
      readonly start: number
      readonly end: number
    }
  | { readonly kind: 'close'; readonly name: string; readonly start: number; readonly end: number }

/** A `<mark>` of SSML; `at` in UTF-16 units of the text. */
export interface TextMark {
  readonly name: string
  readonly at: number
}

export const hasTags = (text: string): boolean => TAG.test(text)

/**
 * Tokenizes XML in one pass; accepts only the five predefined entities and numeric references.
 * @throws MarkupViolation
 */
export function* xmlTokens(document: string): Generator<XmlToken> {
  let at = PROLOG.exec(document)?.[0].length ?? 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(document)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  while (at < document.length) {
    const start = at
    const text = match(TEXT) ?? match(STRAY)
    if (text !== null) {
      yield { kind: 'text', text: text[0], start, end: at }
      continue
    }
    const entity = match(ENTITY)
    if (entity !== null) {
      yield { kind: 'text', text: decoded(entity, start), start, end: at }
      continue
    }
    if (match(SKIPPED) !== null) continue
    const data = match(CDATA)
    if (data !== null) {
      yield { kind: 'text', text: data[1] ?? '', start: start + '<![CDATA['.length, end: at - ']]>'.length }
      continue
    }
    const open = match(OPEN)
    if (open !== null) {
      const attributes = attributesOf(open[2] ?? '', start)
      yield { kind: 'open', name: open[1] ?? '', attributes, isEmpty: open[3] === '/', start, end: at }
      continue
    }
    const close = match(CLOSE)
    if (close === null) throw malformed(document, start)
    yield { kind: 'close', name: close[1] ?? '', start, end: at }
  }
}

function malformed(document: string, at: number): MarkupViolation {
  const rest = document.slice(at, at + 9)
  if (rest.startsWith('&')) return wrongAt(at, 'an entity that is none of &amp; &lt; &gt; &quot; &apos; or a number')
  if (/^<!DOCTYPE/i.test(rest)) return wrongAt(at, 'a document type, which is not allowed')
  if (rest.startsWith('<?')) return wrongAt(at, 'a processing instruction, which is not allowed')
  return wrongAt(at, 'what is no well-formed tag')
}

export const wrongAt = (at: number, what: string): MarkupViolation =>
  new MarkupViolation(`has, at character ${at + 1}, ${what}`)

function decoded([, name, decimal, hex]: RegExpExecArray, at: number): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? ''
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const character = code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\0' : String.fromCodePoint(code)
  if (CONTROL.test(character)) throw wrongAt(at, 'a character that is not allowed')
  return character
}

function attributesOf(source: string, at: number): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single] of source.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw wrongAt(at, `the attribute ${name} twice`)
    attributes.set(name, attributeValue(double ?? single ?? '', at))
  }
  return attributes
}

function attributeValue(source: string, at: number): string {
  return source.replace(/&([^;&]{0,12};)/g, (entity) => {
    ENTITY.lastIndex = 0
    const found = ENTITY.exec(entity)
    if (found === null || found[0] !== entity) throw wrongAt(at, 'an entity that is not allowed in an attribute')
    return decoded(found, at)
  })
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
