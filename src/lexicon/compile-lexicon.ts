import { folded, type Token, tokensOf } from './tokens.ts'

/** A word or several, and what is said instead of it. */
export interface LexiconEntry {
  /** One of LANGUAGES; absent: in all of them. */
  readonly language?: string | undefined
  /** With a capital in it, it stands for exactly that; without one for itself in any case. */
  readonly grapheme: string
  readonly alias: string
}

/** A place of a text where another word is said. */
interface Replacement {
  /** In UTF-16 units of the text. */
  readonly start: number
  readonly end: number
  readonly alias: string
}

/** Finds what is said otherwise. */
export interface Lexicon {
  /** From left to right, the longest entry at each place; of two of one length the one with its capitals, then the one for the language. */
  find(text: string, language: string | undefined): Replacement[]
}

/** What follows a row of tokens, and what stands for the row, by language: '' is any. */
interface Node {
  readonly next: Map<string, Node>
  aliases: Map<string, string> | null
}

const newNode = (): Node => ({ next: new Map(), aliases: null })
const ANY = ''

/** As they are listed; of two for the same the first holds. */
export function compileLexicon(entries: readonly LexiconEntry[]): Lexicon {
  const exact = newNode()
  const loose = newNode()
  for (const { grapheme, alias, language = ANY } of entries) {
    const isExact = folded(grapheme) !== grapheme
    // As it was composed, and as some systems take it apart.
    for (const form of new Set([grapheme.normalize('NFC'), grapheme.normalize('NFD')])) {
      let node = isExact ? exact : loose
      for (const { text } of tokensOf(form)) {
        const next = node.next.get(text) ?? newNode()
        node.next.set(text, next)
        node = next
      }
      node.aliases ??= new Map()
      const { aliases } = node
      if (!aliases.has(language)) aliases.set(language, alias)
    }
  }
  return { find: (text, language) => findAll([exact, loose], text, language) }
}

function findAll([exact, loose]: readonly [Node, Node], text: string, language = ANY): Replacement[] {
  const tokens = [...tokensOf(text)]
  const small = tokens.map((token) => folded(token.text))
  const found: Replacement[] = []
  for (let at = 0; at < tokens.length; ) {
    const one = longest(exact, tokens, at, (index) => tokens[index]?.text, language)
    const other = longest(loose, tokens, at, (index) => small[index], language)
    const best = other.length > one.length ? other : one
    if (best.alias === undefined) at++
    else {
      found.push({ start: tokens[at]!.start, end: tokens[at + best.length - 1]!.end, alias: best.alias })
      at += best.length
    }
  }
  return found
}

/** The longest row of tokens from one on that stands in the tree. */
function longest(
  root: Node,
  tokens: readonly Token[],
  from: number,
  textAt: (index: number) => string | undefined,
  language: string,
): { readonly length: number; readonly alias: string | undefined } {
  let node: Node | undefined = root
  let best: { length: number; alias: string | undefined } = { length: 0, alias: undefined }
  for (let at = from; at < tokens.length; at++) {
    node = node.next.get(textAt(at) ?? '')
    if (node === undefined) break
    const alias: string | undefined = node.aliases?.get(language) ?? node.aliases?.get(ANY)
    if (alias !== undefined) best = { length: at - from + 1, alias }
  }
  return best
}
