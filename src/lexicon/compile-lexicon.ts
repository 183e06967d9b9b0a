import { nextTurn } from '../concurrency/next-turn.ts'

const ANY = ''
const TURN_ENTRIES = 500
const FORM_BYTES = 250

const CONTINUOUS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
/** Each character of a script without spaces is a token; Hangul forms words. */
const LETTER = `[[\\p{L}\\p{N}\\p{M}\\u200d_]--[${CONTINUOUS}\\p{Script=Hangul}]]`
/** Splits "l'API" and "API's" but not "don't". */
const ELISION = "(?:[ldjmtsnc]|qu|dell|all|nell|sull|dall|un|lorsqu|puisqu|jusqu)(?='\\p{L})"
const POSSESSIVE = "'s(?![\\p{L}\\p{N}])"
const INNER = "(?:(?<=\\p{L}\\p{M}?)['.·](?=\\p{L})|(?<=\\p{N})[.,'](?=\\p{N}))"
const WORD = `${ELISION}(?!${LETTER})|${LETTER}+(?:(?!${POSSESSIVE})${INNER}${LETTER}+)*`
const TOKEN = new RegExp(`\\s+|${WORD}|\\p{Script=Hangul}[\\p{Script=Hangul}\\p{M}]*|[${CONTINUOUS}]\\p{M}*|.`, 'gisv')
const SPACE = /^\s/
const FIRST = new RegExp(`^${LETTER}`, 'v')
const LAST = new RegExp(`${LETTER}$`, 'v')

/** Placeholder that no entry can match. */
export const FIXED = '\ufffc'

/** A type and not an interface, so that it is a JSON value of Prisma's. */
export type LexiconEntry = {
  /** One of LANGUAGES; absent: all. */
  readonly language?: string | undefined
  /** Matches case-sensitively if it has a capital. */
  readonly grapheme: string
  readonly alias: string
}

export interface Replacement {
  /** UTF-16 units. */
  readonly start: number
  readonly end: number
  readonly alias: string
}

export interface Lexicon {
  /** The longest match at each place. At equal length capitals win, then the language. */
  find(text: string, language: string | undefined): Replacement[]
  readonly bytes: number
}

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The first of two equal entries wins. Yields to other requests. */
export async function compileLexicon(entries: readonly LexiconEntry[]): Promise<Lexicon> {
  const exact = new FormTree()
  const loose = new FormTree()
  for (const [index, { grapheme, alias, language = ANY }] of entries.entries()) {
    if (index % TURN_ENTRIES === TURN_ENTRIES - 1) await nextTurn()
    const composed = alias.normalize('NFC')
    const tree = folded(grapheme) === grapheme ? loose : exact
    const form = spelled(grapheme)
    // Some systems send decomposed characters (NFD).
    for (const one of new Set([form.normalize('NFC'), form.normalize('NFD')])) tree.add(one, language, composed)
  }
  return {
    find: (text, language) => findAll(exact, loose, text, language),
    bytes: exact.bytes + loose.bytes,
  }
}

function findAll(exact: FormTree, loose: FormTree, text: string, language = ANY): Replacement[] {
  const tokens = [...tokensOf(text)]
  const line = new Line(tokens, (token) => token)
  const small = new Line(tokens, folded)
  const found: Replacement[] = []
  for (let at = 0; at < tokens.length; ) {
    const one = exact.longest(line, at, language)
    const other = loose.longest(small, at, language)
    const best = other.tokens > one.tokens ? other : one
    if (best.alias === undefined) at++
    else {
      found.push({ start: tokens[at]!.start, end: tokens[at + best.tokens - 1]!.end, alias: best.alias })
      at += best.tokens
    }
  }
  return found.map((one) => apart(one, text))
}

/** A sign stands at its number ("$5"), but the words for it do not. */
function apart(one: Replacement, text: string): Replacement {
  const { start, end, alias } = one
  const sign = text.slice(start, end)
  const before = LAST.test(text.slice(Math.max(0, start - 2), start)) && !FIRST.test(sign) && FIRST.test(alias)
  const after = FIRST.test(text.slice(end, end + 2)) && !LAST.test(sign) && LAST.test(alias)
  return { ...one, alias: `${before ? ' ' : ''}${alias}${after ? ' ' : ''}` }
}

class Line {
  readonly text: string
  readonly starts: readonly number[]
  readonly #borders: Uint32Array

  constructor(tokens: readonly Token[], as: (token: string) => string) {
    const texts = tokens.map((token) => as(token.text))
    this.text = texts.join('')
    let end = 0
    this.starts = [0, ...texts.map((token) => (end += token.length))]
    this.#borders = new Uint32Array(this.text.length + 1)
    for (const [index, start] of this.starts.entries()) this.#borders[start] = index
  }

  tokensUntil(offset: number, from: number): number {
    return Math.max(0, (this.#borders[offset] ?? 0) - from)
  }
}

interface Found {
  readonly tokens: number
  readonly alias: string | undefined
}
const NOTHING: Found = { tokens: 0, alias: undefined }

interface Node {
  label: string
  next: Map<number, Node> | null
  aliases: Map<string, string> | null
}

/** A radix tree of UTF-16 units. Aliases are by language; '' means any. */
class FormTree {
  readonly #root = newNode('')
  bytes = 0

  add(grapheme: string, language: string, alias: string): void {
    const node = this.#nodeOf(grapheme.replace(/\s+/g, ' '))
    node.aliases ??= new Map()
    if (!node.aliases.has(language)) node.aliases.set(language, alias)
    this.bytes += 2 * (grapheme.length + alias.length) + FORM_BYTES
  }

  #nodeOf(form: string): Node {
    let [node, at] = [this.#root, 0]
    while (at < form.length) {
      node.next ??= new Map()
      const known = node.next.get(form.charCodeAt(at))
      const shared = known === undefined ? form.length - at : sharedLength(known.label, form, at)
      const next = known?.label.length === shared ? known : newNode(form.slice(at, at + shared))
      if (known !== undefined && known !== next) {
        known.label = known.label.slice(shared)
        next.next = new Map([[known.label.charCodeAt(0), known]])
      }
      node.next.set(form.charCodeAt(at), next)
      at += shared
      node = next
    }
    return node
  }

  longest(line: Line, from: number, language: string): Found {
    let [node, at, best] = [this.#root, line.starts[from] ?? 0, NOTHING]
    for (;;) {
      const next = node.next?.get(line.text.charCodeAt(at))
      if (next === undefined || !line.text.startsWith(next.label, at)) return best
      at += next.label.length
      node = next
      const alias = node.aliases?.get(language) ?? node.aliases?.get(ANY)
      const tokens = alias === undefined ? 0 : line.tokensUntil(at, from)
      if (tokens > 0) best = { tokens, alias }
    }
  }
}

const newNode = (label: string): Node => ({ label, next: null, aliases: null })

function sharedLength(label: string, form: string, from: number): number {
  let length = 0
  while (length < label.length && label.charCodeAt(length) === form.charCodeAt(from + length)) length++
  return length
}

/** Maps all apostrophes to one; keeps the length. */
export const spelled = (text: string): string => text.replace(/[’‘ʼ＇]/g, "'")

/** Splits a text at every border without loss. White space becomes one blank. */
function* tokensOf(text: string): Generator<Token> {
  for (const { 0: found, index } of spelled(text).matchAll(TOKEN))
    yield { text: SPACE.test(found) ? ' ' : found, start: index, end: index + found.length }
}

export function folded(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (character) => {
    const small = character.toLowerCase()
    return small.length === character.length ? small : character
  }).join('')
}
