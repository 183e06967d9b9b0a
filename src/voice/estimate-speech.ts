import type { Language } from '../engines/espeak/detect-language.ts'
import { styleToProsody } from '../engines/espeak/espeak-style.ts'
import type { TextRange } from './timing/offset-map.ts'

const LETTERS_PER_DIGIT = 4
const LETTERS_PER_SYMBOL = 5
const KANA_PER_KANJI = 2
const NEUTRAL_RATE = styleToProsody(undefined).rate

const SCRIPTS: readonly (readonly [RegExp, Language])[] = [
  [/\p{Script=Han}/u, 'Chinese'],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'Japanese'],
  [/\p{Script=Hangul}/u, 'Korean'],
  [/\p{Script=Cyrillic}/u, 'Russian'],
]

const FASTEST = 0.54
const SLOWEST = 1.8
const SHORT_TEXT_SECONDS = 2
const LEAST_LONGEST_SECONDS = 3
export const LONGEST_RATIO = 3

const DIGIT: Span = [0.18, 0.7]
const SPELLED_SECONDS = 0.35
const WORD_SECONDS = 0.04
const FOREIGN: Span = [0, 1.2]
const UNKNOWN: Span = [0.03, 0.16]
const PICTURE: Span = [0, 1]
const SYMBOL: Span = [0, 0.6]
const MARK: Span = [0, 0.35]
const SILENT: Span = [0, 0]
const MOST_SAME_LETTERS = 2
const MOST_KANA_PER_KANJI = 3

const PIECE = /\p{Nd}+|[\p{L}\p{M}’']+|./gsu
const PICTURES = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u
const SYMBOLS = /[\p{S}*#%&@/\\§]/u
const INNER_MARK = /^\p{P}[\p{L}\p{Nd}]/u
const SPELLED = /^(?:\p{Lu}+|.)$|^[^aeiouyаеёиоуыэюя]+$/u
const LATIN = /\p{Script=Latin}/u
const ALPHABET = /[\p{Script=Latin}\p{Script=Cyrillic}]/u

// `node bench/speech-rates.ts` measures these rates with the embedded engine.

export const SENTENCE_SECONDS = 0.3

const SECONDS_PER_LETTER: Readonly<Record<Language, number>> = {
  Chinese: 0.25,
  English: 0.064,
  Japanese: 0.113,
  Korean: 0.169,
  French: 0.049,
  German: 0.064,
  Italian: 0.066,
  Spanish: 0.067,
  Portuguese: 0.067,
  Russian: 0.059,
}

interface Manner {
  readonly language: Language | undefined
  readonly speed?: number | undefined
  readonly styleInstruction?: string | undefined
}

/** Bounds in seconds: `shortest` and `longest` without pauses, `longestInAll` with them. */
export interface ExpectedSpeech {
  readonly shortest: number
  readonly longest: number
  readonly longestInAll: number
}

type Span = readonly [least: number, most: number]

/** Estimates the seconds of a text, within a factor of two for prose. Pure. */
export function estimateSpeech(text: string, manner: Manner): number {
  let seconds = SENTENCE_SECONDS
  for (const character of text) seconds += secondsOf(character, manner.language)
  return seconds / paceOfManner(manner)
}

const paceOfManner = ({ speed = 1, styleInstruction }: Manner): number =>
  (speed * styleToProsody(styleInstruction).rate) / NEUTRAL_RATE

/** The language that alone uses this letter's script; undefined for Latin and unknown scripts. Pure. */
const scriptOf = (letter: string): Language | undefined => SCRIPTS.find(([script]) => script.test(letter))?.[1]

const isOfLatinLanguage = (language: Language | undefined): language is Language =>
  language !== undefined && !SCRIPTS.some(([, of]) => of === language)

/** Returns a function that weighs a range (UTF-16 units) in seconds at an ordinary pace. Pure. */
export function weighText(text: string, language: Language | undefined): (range: TextRange) => number {
  const known = new Map<string, number>()
  const before = new Float64Array(text.length + 1)
  let at = 0
  for (const character of text) {
    const seconds = known.get(character) ?? secondsOf(character, language)
    known.set(character, seconds)
    const sum = before[at]! + seconds
    for (const end = at + character.length; at < end; at++) before[at + 1] = sum
  }
  return ({ start, end }) => Math.max(0, before[end]! - before[start]!)
}

function secondsOf(character: string, language: Language | undefined): number {
  if (/\p{L}/u.test(character)) return secondsOfLetter(character, language)
  const perLetter = SECONDS_PER_LETTER[language ?? 'English']
  if (/\p{N}/u.test(character)) return SECONDS_PER_LETTER.English * LETTERS_PER_DIGIT
  if (/[.!?。！？…]/u.test(character)) return SENTENCE_SECONDS
  return /[\p{S}%‰&@§]/u.test(character) ? Math.min(perLetter, SECONDS_PER_LETTER.English) * LETTERS_PER_SYMBOL : 0
}

function secondsOfLetter(letter: string, language: Language | undefined): number {
  const script = scriptOf(letter)
  if (script === 'Chinese' && language === 'Japanese') return SECONDS_PER_LETTER.Japanese * KANA_PER_KANJI
  return SECONDS_PER_LETTER[script ?? (isOfLatinLanguage(language) ? language : 'English')]
}

/** Bounds the speech of a text for any voice; wider for emoji, symbols, numbers and capitals, which servers read differently. Pure. */
export function expectSpeech(text: string, manner: Manner): ExpectedSpeech {
  const pace = paceOfManner(manner)
  const [least, most] = spanOf(text, manner.language)
  const shortest = (least * FASTEST * Math.min(1, least / SHORT_TEXT_SECONDS)) / Math.max(1, pace)
  const longest = Math.max(LEAST_LONGEST_SECONDS, most * (pace < 1 ? LONGEST_RATIO : SLOWEST)) / Math.min(1, pace)
  const estimate = Math.max(1, estimateSpeech(text, manner) * Math.max(1, pace))
  return { shortest, longest, longestInAll: Math.max(estimate * LONGEST_RATIO, longest) }
}

function spanOf(text: string, language: Language | undefined): Span {
  let [least, most] = [0, 0]
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const [fewest, longest] = pieceSpan(piece, text.slice(index, index + 2), language)
    least += fewest
    most += longest
  }
  return [least, most]
}

function pieceSpan(piece: string, start: string, language: Language | undefined): Span {
  if (/^\p{Nd}/u.test(piece)) return numberSpan(piece)
  if (/^[\p{L}\p{M}]/u.test(piece)) return wordSpan(piece, language)
  if (PICTURES.test(piece)) return PICTURE
  if (SYMBOLS.test(piece)) return SYMBOL
  return INNER_MARK.test(start) ? MARK : SILENT
}

function numberSpan(digits: string): Span {
  const said = digits.replaceAll('0', '').length
  return [Math.max(1, said) * DIGIT[0], digits.length * DIGIT[1]]
}

function wordSpan(word: string, language: Language | undefined): Span {
  const spelled = spelledIn(word, language)
  let [least, most] = [0, WORD_SECONDS]
  let [before, same] = ['', 0]
  for (const letter of word.match(/\p{L}/gu) ?? []) {
    same = letter === before ? same + 1 : 1
    before = letter
    const [fewest, longest] = letterSpan(letter, language)
    if (same <= MOST_SAME_LETTERS) least += fewest
    most += spelled?.test(letter) === true ? Math.max(longest, SPELLED_SECONDS) : longest
  }
  return [least, most]
}

function spelledIn(word: string, language: Language | undefined): RegExp | null {
  if (SPELLED.test(word)) return ALPHABET
  return language === undefined || isOfLatinLanguage(language) ? null : LATIN
}

function letterSpan(letter: string, language: Language | undefined): Span {
  const script = scriptOf(letter)
  if (script === undefined && !LATIN.test(letter)) return UNKNOWN
  if (script === 'Chinese' && language === 'Japanese')
    return [SECONDS_PER_LETTER.Japanese, SECONDS_PER_LETTER.Japanese * MOST_KANA_PER_KANJI]
  if (script !== undefined && language !== undefined && script !== language) return FOREIGN
  const seconds = SECONDS_PER_LETTER[script ?? (isOfLatinLanguage(language) ? language : 'English')]
  return [seconds, seconds]
}
