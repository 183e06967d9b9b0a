import type { Language } from '../engines/espeak/detect-language.ts'
import { estimateSpeech, isOfLatinLanguage, type Manner, paceOfManner, scriptOf } from './estimate-speech.ts'
import { SECONDS_PER_LETTER } from './speech-rates.ts'

/** Between how many seconds a rendering of a text lies, whoever speaks it. */
export interface ExpectedSpeech {
  /** The shortest sound in seconds, without pauses. */
  readonly shortest: number
  readonly longest: number
  /** The longest audio in seconds, pauses included: `LONGEST_RATIO` times the estimate. */
  readonly longestInAll: number
}

/** The shortest and the longest speech of a piece of text at the pace of speech-rates.ts, in seconds. */
type Span = readonly [least: number, most: number]

/** The fastest and slowest voice: 260 words a minute are 1.5 times the pace, 115 are two thirds of it, and letters vary. */
const FASTEST = 0.54
const SLOWEST = 1.8
/** The words of a text below this may each be as short as they like. */
const SHORT_TEXT_SECONDS = 2
/** A single word may well be drawn out, and come with silence around it. */
const LEAST_LONGEST_SECONDS = 3
/** Audio may last so many times its estimate. A slow speed or style raises the limit of sound as well. */
export const LONGEST_RATIO = 3

/** Zeros of a number are often not said, and "seventy" is one digit. */
const DIGIT: Span = [0.18, 0.7]
const SPELLED_SECONDS = 0.35
/** Short words take longer than their letters. */
const WORD_SECONDS = 0.04
/** A letter that the language does not have is named, or left out. */
const FOREIGN: Span = [0, 1.2]
/** The span of a letter of a script that none of the ten languages uses. */
const UNKNOWN: Span = [0.03, 0.16]
/** Emoji, symbols and marks within a word are left out or named: nobody knows which. */
const PICTURE: Span = [0, 1]
const SYMBOL: Span = [0, 0.6]
const MARK: Span = [0, 0.35]
const SILENT: Span = [0, 0]
/** A longer row of one letter is one sound. */
const MOST_SAME_LETTERS = 2
const MOST_KANA_PER_KANJI = 3

const PIECE = /\p{Nd}+|[\p{L}\p{M}’']+|./gsu
const PICTURES = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u
const SYMBOLS = /[\p{S}*#%&@/\\§]/u
/** "3.5", "example.com", "well-known". */
const INNER_MARK = /^\p{P}[\p{L}\p{Nd}]/u
/** Capitals, single letters and what has no vowel are spelled, by some. */
const SPELLED = /^(?:\p{Lu}+|.)$|^[^aeiouyаеёиоуыэюя]+$/u
const LATIN = /\p{Script=Latin}/u
const ALPHABET = /[\p{Script=Latin}\p{Script=Cyrillic}]/u

/**
 * How long the speech of a text is, for any voice at an ordinary pace: wide where it holds what some servers say and others leave out
 * (emoji, symbols), or read in different ways (numbers, capitals). A server may also not know a speed or a style. Pure.
 */
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

/** @param start of the piece, with the character behind its first one */
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

/** Letters that some name one by one. */
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
