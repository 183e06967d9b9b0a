import type { Language } from '../engines/espeak/detect-language.ts'
import { styleToProsody } from '../engines/espeak/espeak-style.ts'
import { SECONDS_PER_LETTER, SENTENCE_SECONDS } from './speech-rates.ts'
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

export interface Manner {
  readonly language: Language | undefined
  readonly speed?: number | undefined
  readonly styleInstruction?: string | undefined
}

/** Estimates the seconds of a text, within a factor of two for prose. Pure. */
export function estimateSpeech(text: string, manner: Manner): number {
  let seconds = SENTENCE_SECONDS
  for (const character of text) seconds += secondsOf(character, manner.language)
  return seconds / paceOfManner(manner)
}

export const paceOfManner = ({ speed = 1, styleInstruction }: Manner): number =>
  (speed * styleToProsody(styleInstruction).rate) / NEUTRAL_RATE

/** The language that alone uses this letter's script; undefined for Latin and unknown scripts. Pure. */
export const scriptOf = (letter: string): Language | undefined => SCRIPTS.find(([script]) => script.test(letter))?.[1]

export const isOfLatinLanguage = (language: Language | undefined): language is Language =>
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

const TABLE_CHARACTERS = 0x250
const tables = new Map<Language | undefined, Float64Array>()

function secondsOf(character: string, language: Language | undefined): number {
  const code = character.codePointAt(0)!
  return code < TABLE_CHARACTERS ? tableOf(language)[code]! : judgedSeconds(character, language)
}

function tableOf(language: Language | undefined): Float64Array {
  const known = tables.get(language)
  if (known !== undefined) return known
  const made = Float64Array.from({ length: TABLE_CHARACTERS }, (_, code) =>
    judgedSeconds(String.fromCodePoint(code), language),
  )
  tables.set(language, made)
  return made
}

function judgedSeconds(character: string, language: Language | undefined): number {
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
