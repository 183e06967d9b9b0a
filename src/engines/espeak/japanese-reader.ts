import { createRequire } from 'node:module'
import type { TokenizerBuilder as Builder } from 'lindera-wasm-nodejs-ipadic'
import { readCounted } from './japanese-counters.ts'
import { kanjiToDigits, readNumber } from './japanese-numbers.ts'
import type { SpokenPart } from './spoken-part.ts'
import type { JapaneseReader } from './spoken-text.ts'

/** A word as the dictionary has it. `pronunciation` is katakana with long vowels; absent for what it does not know. */
interface Token {
  readonly surface: string
  readonly pronunciation?: string
  readonly partOfSpeech: string
  readonly partOfSpeechSubcategory1: string
  readonly partOfSpeechSubcategory2: string
}

/** What is read as one, and how many code points of the text it takes. */
interface Reading {
  readonly spoken: string
  readonly length: number
}

const READABLE = /^[ァ-ヺー]+$/u
/** Digits, also with commas between thousands and a decimal part, or a number in kanji. */
const DIGITS = /^\d+$/u
/** A word that leans on the one before it: no pause and no stress between the two. */
const LEANING = new Set(['助詞', '助動詞'])

/**
 * Opens IPADIC, which takes about a second of a core and 130 MB: for the first text in kanji, not at a start. Readings are how the words
 * are pronounced (は as ワ where it is a particle), with spaces between phrases; numbers are read with their counters.
 */
export function openJapaneseReader(): JapaneseReader {
  const { TokenizerBuilder } = createRequire(import.meta.url)('lindera-wasm-nodejs-ipadic') as {
    TokenizerBuilder: typeof Builder
  }
  const builder = new TokenizerBuilder()
  builder.setDictionary('embedded://ipadic')
  builder.setMode('normal')
  builder.setKeepWhitespace(true)
  const tokenizer = builder.build()
  return (text) => toParts(tokenizer.tokenize(text) as Token[])
}

function toParts(tokens: readonly Token[]): SpokenPart[] {
  const parts: SpokenPart[] = []
  let start = 0
  for (let at = 0; at < tokens.length; ) {
    const number = numberAt(tokens, at)
    const { readings, taken } = number ?? { readings: readWord(tokens[at]!, parts.at(-1)), taken: 1 }
    for (const { spoken, length } of readings) {
      parts.push({ spoken, start, length })
      start += length
    }
    at += taken
  }
  return parts
}

/** A word in kanji, or with particles, is one part; what the dictionary does not know stays as it is, a part for every character. */
function readWord(token: Token, before: SpokenPart | undefined): readonly Reading[] {
  const { surface, pronunciation } = token
  const length = [...surface].length
  if (/^々+$/u.test(surface)) return [{ spoken: (before?.spoken.trim() ?? ' ').repeat(length), length }]
  if (pronunciation === undefined || !READABLE.test(pronunciation))
    return Array.from(surface, (character) => ({ spoken: character, length: 1 }))
  const leans = LEANING.has(token.partOfSpeech) || token.partOfSpeechSubcategory1 === '接尾' || before === undefined
  return [{ spoken: `${leans || token.partOfSpeechSubcategory1 === '非自立' ? '' : ' '}${pronunciation}`, length }]
}

/** The number that begins at a token, with the counter after it. */
function numberAt(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const { digits, taken } = digitsAt(tokens, at) ?? kanjiNumberAt(tokens, at) ?? { digits: '', taken: 0 }
  if (taken === 0) return null
  const written = tokens.slice(at, at + taken).map(({ surface }) => surface)
  const counter = tokens[at + taken]
  const isCounted =
    counter?.partOfSpeechSubcategory2 === '助数詞' || (counter?.surface === '月' && counter.partOfSpeech === '名詞')
  const length = [...written.join('')].length
  if (!isCounted || counter === undefined) return { readings: [{ spoken: ` ${readNumber(digits)}`, length }], taken }
  const spoken = ` ${readCounted(digits, counter.surface, counter.pronunciation ?? '')}`
  return { readings: [{ spoken, length: length + [...counter.surface].length }], taken: taken + 1 }
}

function digitsAt(tokens: readonly Token[], at: number): { digits: string; taken: number } | null {
  const surface = (offset: number) => tokens[at + offset]?.surface ?? ''
  if (!DIGITS.test(surface(0))) return null
  let [digits, taken] = [surface(0), 1]
  while (surface(taken) === ',' && /^\d{3}$/u.test(surface(taken + 1))) {
    digits += surface(taken + 1)
    taken += 2
  }
  const hasDecimals = surface(taken) === '.' && DIGITS.test(surface(taken + 1))
  return hasDecimals ? { digits: `${digits}.${surface(taken + 1)}`, taken: taken + 2 } : { digits, taken }
}

function kanjiNumberAt(tokens: readonly Token[], at: number): { digits: string; taken: number } | null {
  let taken = 0
  while (tokens[at + taken]?.partOfSpeechSubcategory1 === '数') taken++
  const written = tokens.slice(at, at + taken).map(({ surface }) => surface)
  const digits = taken === 0 ? null : kanjiToDigits(written.join(''))
  return digits === null ? null : { digits, taken }
}
