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

/** Placeholder that no entry can match. */
export const FIXED = '\ufffc'

export interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Maps all apostrophes to one; keeps the length. */
export const spelled = (text: string): string => text.replace(/[’‘ʼ＇]/g, "'")

/** Splits a text at every border without loss. White space becomes one blank. */
export function* tokensOf(text: string): Generator<Token> {
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
