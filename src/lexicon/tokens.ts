// Words as a lexicon sees them: what stands between two borders.

const CONTINUOUS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
/** Scripts without spaces have a border at each character; Hangul is a word of its own next to other letters. */
const LETTER = `[[\\p{L}\\p{N}\\p{M}\\u200d_]--[${CONTINUOUS}\\p{Script=Hangul}]]`
/** Of "l'API" and "API's" the API is a word; "don't" is one. */
const ELISION = "(?:[ldjmtsnc]|qu|dell|all|nell|sull|dall|un|lorsqu|puisqu|jusqu)(?='\\p{L})"
const POSSESSIVE = "'s(?![\\p{L}\\p{N}])"
const INNER = "(?:(?<=\\p{L}\\p{M}?)['.·](?=\\p{L})|(?<=\\p{N})[.,'](?=\\p{N}))"
const WORD = `${ELISION}(?!${LETTER})|${LETTER}+(?:(?!${POSSESSIVE})${INNER}${LETTER}+)*`
const TOKEN = new RegExp(`\\s+|${WORD}|\\p{Script=Hangul}[\\p{Script=Hangul}\\p{M}]*|[${CONTINUOUS}]\\p{M}*|.`, 'gisv')
const SPACE = /^\s/

/** Stands for what no lexicon has a say in: no entry holds it. */
export const FIXED = '\ufffc'

/** A word, a character of a script without spaces, a sign, or white space, however much of it. */
export interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** All apostrophes are one: keyboards and word processors disagree. Of the same length. */
export const spelled = (text: string): string => text.replace(/[’‘ʼ＇]/g, "'")

/** Cuts a text at every border, in one pass. Nothing is lost; white space of any kind and length is one blank, and any apostrophe is `'`. */
export function* tokensOf(text: string): Generator<Token> {
  for (const { 0: found, index } of spelled(text).matchAll(TOKEN))
    yield { text: SPACE.test(found) ? ' ' : found, start: index, end: index + found.length }
}

/** Without its capitals; of the same length. */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (character) => {
    const small = character.toLowerCase()
    return small.length === character.length ? small : character
  }).join('')
}
