import { createRequire } from 'node:module'
import type { TokenizerBuilder as Builder } from 'lindera-wasm-nodejs-ipadic'
import type { SpokenPart } from '../spoken-part.ts'
import type { JapaneseReader } from '../spoken-text.ts'
import type { Token } from './dictionary-token.ts'
import { isCounter, readCounted } from './japanese-counters.ts'
import { readNumber } from './japanese-numbers.ts'
import { readLoneKanji } from './lone-kanji.ts'
import { readInRange } from './word-ranges.ts'
import { isNumeral, joinNumber, type Piece } from './written-number.ts'

interface Reading {
  readonly spoken: string
  readonly length: number
}

const READABLE = /^[ァ-ヺー]+$/u
const DIGITS = /^\d+$/u
/** Words that the dictionary lacks, each of two tokens. */
const LATER_WORDS: ReadonlyMap<string, string> = new Map([
  ['令和', 'レイワ'],
  ['檸檬', 'レモン'],
  ['一行目', 'イチギョーメ'],
])
/** 何分 before these asks for minutes. */
const TAKES_TIME = /^(?:かか|掛か|待[たちつっ]|まち|まつ|まっ|経|歩[かきくい]|遅れ)/u
const LEANING = new Set(['助詞', '助動詞'])

/**
 * Opens IPADIC slowly, so only a text with kanji calls this.
 * Returns pronunciations (は as ワ) with spaces between phrases.
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
    const known = laterWordAt(tokens, at) ?? numberAt(tokens, at) ?? inRange(tokens, at)
    const { readings, taken } = known ?? { readings: readWord(tokens[at]!, parts.at(-1)), taken: 1 }
    for (const { spoken, length } of readings) {
      parts.push({ spoken, start, length })
      start += length
    }
    at += taken
  }
  return parts
}

function laterWordAt(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const isOfTime = tokens[at]?.surface === '何分' && TAKES_TIME.test(tokens[at + 1]?.surface ?? '')
  if (isOfTime) return { readings: [{ spoken: ' ナンプン', length: 2 }], taken: 1 }
  const word = `${tokens[at]?.surface}${tokens[at + 1]?.surface ?? ''}`
  const reading = LATER_WORDS.get(word)
  return reading === undefined ? null : { readings: [{ spoken: ` ${reading}`, length: word.length }], taken: 2 }
}

function inRange(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const reading = readInRange(tokens, at)
  if (reading === undefined) return null
  return { readings: [{ spoken: reading === 'カラ' ? reading : ` ${reading}`, length: 1 }], taken: 1 }
}

function readWord(token: Token, before: SpokenPart | undefined): readonly Reading[] {
  const { surface, pronunciation } = token
  const length = [...surface].length
  if (/^々+$/u.test(surface))
    return [{ spoken: isTwice(before?.spoken) ? '' : (before?.spoken.trim() ?? ' ').repeat(length), length }]
  if (surface === '〇') return [{ spoken: 'マル', length }]
  if (pronunciation === undefined || !READABLE.test(pronunciation))
    return Array.from(surface, (character, at) => ({ spoken: readUnknown(character, at === 0), length: 1 }))
  const leans = LEANING.has(token.partOfSpeech) || token.partOfSpeechSubcategory1 === '接尾' || before === undefined
  return [{ spoken: `${leans || token.partOfSpeechSubcategory1 === '非自立' ? '' : ' '}${pronunciation}`, length }]
}

function readUnknown(character: string, isFirst: boolean): string {
  const reading = readLoneKanji(character)
  return reading === undefined ? character : `${isFirst ? ' ' : ''}${reading}`
}

/** 屡 alone is シバシバ, as 屡々 is. */
const isTwice = (spoken = ''): boolean => /^\s?(.{2,})\1$/u.test(spoken)

function numberAt(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const number = joinNumber(piecesAt(tokens, at))
  if (number === null) return null
  const { digits, taken } = number
  const written = tokens.slice(at, at + taken).map(({ surface }) => surface)
  const length = [...written.join('')].length
  const counter = counterAt(tokens, at + taken, digits)
  if (isWord(written, counter)) return null
  if (counter === null) return { readings: [{ spoken: ` ${readNumber(digits)}`, length }], taken }
  const spoken = ` ${readBehind(tokens[at - 1]?.surface ?? '', digits, counter)}`
  return { readings: [{ spoken, length: length + [...counter.surface].length }], taken: taken + 1 }
}

/** 3割5分 reads 分 differently. */
function readBehind(before: string, digits: string, { surface, pronunciation = '' }: Token): string {
  if (digits === '1' && surface === '日' && before.endsWith('月')) return 'ツイタチ'
  return readCounted(digits, surface, surface === '分' && before === '割' ? 'ブ' : pronunciation)
}

/** 零 is always レイ, 〇〇 is a blank, 数 alone a noun. */
const isWord = (written: readonly string[], counter: Token | null): boolean =>
  /^(?:零|〇〇+)$/u.test(written.join('')) || (counter === null && /^[数何幾〇]$/u.test(written.join('')))

function counterAt(tokens: readonly Token[], at: number, digits: string): Token | null {
  const token = tokens[at]
  if (token === undefined || (token.surface === 'つ' && !/^[1-9]$/.test(digits))) return null
  return token.partOfSpeechSubcategory2 === '助数詞' || isCounter(token.surface) ? token : null
}

function* piecesAt(tokens: readonly Token[], at: number): Generator<Piece> {
  for (let next = at; ; ) {
    const piece = digitsAt(tokens, next) ?? numeralAt(tokens, next, next > at)
    if (piece === null) return
    yield piece
    next += piece.taken
  }
}

function digitsAt(tokens: readonly Token[], at: number): Piece | null {
  const surface = (offset: number) => tokens[at + offset]?.surface ?? ''
  if (!DIGITS.test(surface(0))) return null
  let [text, taken] = [surface(0), 1]
  while (surface(taken) === ',' && /^\d{3}$/u.test(surface(taken + 1))) {
    text += surface(taken + 1)
    taken += 2
  }
  const hasDecimals = surface(taken) === '.' && DIGITS.test(surface(taken + 1))
  return hasDecimals ? { text: `${text}.${surface(taken + 1)}`, taken: taken + 2 } : { text, taken }
}

/** 〇 and 京 count only after other digits. */
function numeralAt(tokens: readonly Token[], at: number, isBehind: boolean): Piece | null {
  const token = tokens[at]
  if (token === undefined || !isNumeral(token.surface)) return null
  const isNumber = token.partOfSpeechSubcategory1 === '数' || (isBehind && /^[〇○◯京]$/u.test(token.surface))
  const isMonth = token.surface === '何' && tokens[at + 1]?.surface === '月'
  return isNumber || isMonth ? { text: token.surface, taken: 1 } : null
}
