import type { KanjiCount } from '../engine.ts'
import { ESPEAK_LANGUAGES, familyOf, utteranceOf, withoutNamedWords } from './espeak-voice.ts'
import { rangesIn } from './japanese/japanese-ranges.ts'
import { inOrdinaryKanji } from './japanese/ordinary-kanji.ts'
import { composeParts, type SpokenPart, spokenText } from './spoken-part.ts'

export const KANJI = /[\p{Script=Han}々〆ヶ]/u
const FORM =
  /[\u309f\u30ff]|[ぁ-ヿ][\u309b\u309c\uff9e\uff9f]|[\uff66-\uff9d][\uff9e\uff9f]?|[\u2100-\u2121\u2123-\u214f\u2160-\u217f\u2460-\u24ff\u3200-\u33ff\uf900-\ufaff\ufb00-\ufdff\ufe70-\ufefe\uff01-\uff65\uff9e-\uffee\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f1aa}\u{2f800}-\u{2fa1f}]/u
/** Kanji, 3つ, 10キロ, ロンドン〜パリ. */
const DICTIONARY = new RegExp(`${KANJI.source}|\\d[つァ-ヺ]|[ァ-ヺー]{2}〜[ァ-ヺ]{2}`, 'u')
const HAN = /\p{Script=Han}/u
const LETTER = /[\p{L}\p{N}]/u
const READ_PLAIN_LATIN: ReadonlySet<string> = new Set(Object.values(ESPEAK_LANGUAGES).map(familyOf))
const ARCHAIC_KANA = /[\u{1b000}-\u{1b16f}]/u
/** Variation selectors. */
const SELECTORS = '[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]'
const FORMS = new RegExp(`(${FORM.source}|\\p{Nd}|(?!${SELECTORS})[^])${SELECTORS}*|${SELECTORS}+`, 'gu')
/** eSpeak would not say a single letter with such a mark. */
const DIACRITIC = /^[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]$/u
const MARKED = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u
const NO_RANGES: ReadonlySet<number> = new Set()

const AUDIBLE = /[\p{L}\p{N}\p{Sc}\p{Sm}&%#@*/\\§°©®™]/u

const SMALL_LATIN = new Map(
  Array.from('ᴀaʙbᴄcᴅdᴇeꜰfɢgɡgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz'.matchAll(/(.)(.)/gu), ([, small, letter]) => [
    small!,
    letter!,
  ]),
)
const LAST_READ = 'ɏ'
const LATIN_LETTER = /(?=\p{L})\p{Script=Latin}/u
/** eSpeak drops further repetitions without a pause. */
const MOST = 3
const BETWEEN = /[\s.'_-]+/g
/** Letters that are also words, where eSpeak says the word: the sounds of their names, by family of languages. */
const NAMED_LETTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { A: 'eigh' },
  es: { Y: 'i griega' },
  pt: { A: 'á', E: 'é', O: 'ó' },
}
const SPELLED = /(?<![\p{L}\p{N}])\p{Lu}(?: \p{Lu})+(?![\p{L}\p{N}])/gu
const RUN = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])([\\p{L}\\p{S}&%*#@])(?:${BETWEEN.source}\\1(?![\\p{L}\\p{M}\\p{N}])){${MOST},}`,
  'giu',
)

/** U+1B000 and U+1B001. */
const FIRST = 'エえ'
/** From U+1B002: reading and number in a row; the first of two readings. */
const HENTAIGANA =
  'あ4い4う5え5お3か12き8く7け6こ4さ8し6す8せ5そ7た4ち7つ5て9と7な9に8ぬ3ね7の5は11ひ7ふ3へ7ほ8ま7み7む4め3も6や6ゆ4よ6ら4り7る6れ4ろ6わ5ゐ5ゑ4を7ん2'
/** U+1B11F to U+1B122. */
const LAST = 'うイエウ'
const BLOCK = Array.from(HENTAIGANA.matchAll(/(.)(\d+)/gu), ([, kana, count]) => kana!.repeat(Number(count))).join('')
const BLOCK_START = 0x1b000
const SMALL_KANA: Readonly<Record<string, string>> = {
  '\u{1b132}': 'こ',
  '\u{1b150}': 'ゐ',
  '\u{1b151}': 'ゑ',
  '\u{1b152}': 'を',
  '\u{1b155}': 'コ',
  '\u{1b164}': 'ヰ',
  '\u{1b165}': 'ヱ',
  '\u{1b166}': 'ヲ',
  '\u{1b167}': 'ン',
}
const MODERN_KANA = `${FIRST}${BLOCK}${LAST}`

/** Offsets are code points of the text. */
export type JapaneseReader = (text: string) => SpokenPart[]

/**
 * Returns the parts that eSpeak is to say, with spaces for anything that it would only spell.
 * Every part knows its code points. Pure but for the reader.
 */
export function toSpokenText(text: string, language: string, read: JapaneseReader): readonly SpokenPart[] {
  const isJapanese = familyOf(language) === 'ja'
  const plain = withoutNamedWords(text, language)
  const folded = isJapanese ? foldForms(plain.replaceAll('～', '〜'), rangesIn(plain)) : foldForms(plain)
  const words = inReadableLatin(isJapanese ? readWords(folded, read) : folded, language)
  const said = words.map((part, at) => ({ ...part, spoken: sayable(part.spoken, language, words[at - 1]?.spoken) }))
  return withLettersApart(withLettersNamed(said, familyOf(language)))
}

export const isSilent = (parts: readonly SpokenPart[]): boolean => !AUDIBLE.test(spokenText(parts))

/** Counts the letters that are read and, in Japanese, the kanji that are not. */
export function countKanji(text: string, language: string, parts: readonly SpokenPart[]): KanjiCount {
  const characters = [...text]
  const passedOver = parts
    .filter(({ spoken }) => /^\s+$/u.test(spoken))
    .flatMap(({ start, length }) => characters.slice(start, start + length))
  const unread = familyOf(language) === 'ja' ? countIn(passedOver, HAN) : 0
  return { read: countIn(characters, LETTER) - countIn(passedOver, LETTER), unread }
}

const countIn = (characters: readonly string[], kind: RegExp): number =>
  characters.filter((character) => kind.test(character)).length

/** @param ranges in UTF-16 units */
function foldForms(text: string, ranges: ReadonlySet<number> = NO_RANGES): SpokenPart[] {
  const parts: SpokenPart[] = []
  let start = 0
  let isMarked = false
  for (const { 0: whole, 1: form = '', index } of text.matchAll(FORMS)) {
    const length = whole.length === 1 ? 1 : [...whole].length
    const isMark: boolean = isMarked && DIACRITIC.test(form)
    const spoken = isMark ? '' : form < 'ɏ' ? form : ordinary(form)
    isMarked = isMark || MARKED.test(form)
    parts.push({ spoken: ranges.has(index) ? 'から' : spoken, start, length })
    start += length
  }
  return parts
}

function ordinary(form: string): string {
  if (FORM.test(form)) return withCombining(form).normalize('NFKC')
  if (ARCHAIC_KANA.test(form)) return modernKana(form) ?? form
  return /\p{Nd}/u.test(form) ? String(digitValue(form)) : form
}

const withCombining = (form: string): string =>
  form.replace(/(?<=.)[\u309b\uff9e]/u, '\u3099').replace(/(?<=.)[\u309c\uff9f]/u, '\u309a')

/** A script's ten digits are consecutive from zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return (code - zero) % 10
}

function inReadableLatin(parts: readonly SpokenPart[], language: string): readonly SpokenPart[] {
  if (!READ_PLAIN_LATIN.has(familyOf(language))) return parts
  return parts.map((part) =>
    part.spoken < 'ɏ' ? part : { ...part, spoken: Array.from(part.spoken, readableLatin).join('') },
  )
}

/** eSpeak reads kana itself, so the dictionary gets only the rest. */
function readWords(folded: readonly SpokenPart[], read: JapaneseReader): SpokenPart[] {
  const text = spokenText(folded)
  return DICTIONARY.test(text) ? composeParts(folded, read(inOrdinaryKanji(text, read))) : [...folded]
}

function sayable(spoken: string, language: string, before: string | undefined): string {
  if (spoken.length === 1 && spoken < 'ɏ') return spoken
  let said = ''
  for (const character of spoken) {
    const previous = said.at(-1) ?? before?.at(-1) ?? ''
    if (utteranceOf(character, language) === 'silent') said += ' '
    else said += familyOf(language) === 'ja' ? sayableInJapanese(character, previous) : character
  }
  return said
}

const ITERATION = /[ゝヽ]/u
const VOICED_ITERATION = /[ゞヾ]/u
const KANA = /[ぁ-ゖァ-ヺー]/u
const ORDINARY_KANA: Readonly<Record<string, string>> = {
  ゎ: 'ワ',
  ヮ: 'ワ',
  ヵ: 'カ',
  ヶ: 'カ',
  ゕ: 'カ',
  ゖ: 'カ',
  '・': ' ',
}

function sayableInJapanese(character: string, previous: string): string {
  if (ITERATION.test(character)) return KANA.test(previous) ? previous : ' '
  if (VOICED_ITERATION.test(character)) return KANA.test(previous) ? `${previous}\u3099`.normalize('NFC')[0]! : ' '
  if (/[ー〜～]/u.test(character)) return KANA.test(previous) ? 'ー' : ' '
  if (KANJI.test(character) && character !== 'ヶ') return ' '
  if (/[\u3099-\u309c]/u.test(character)) return ' '
  return ORDINARY_KANA[character] ?? character
}

/** Returns the letter that eSpeak reads (ế as ê, ᵗ as t), because eSpeak would spell others as codes. Pure. */
export function readableLatin(letter: string): string {
  if (letter <= LAST_READ || !LATIN_LETTER.test(letter)) return letter
  const small = SMALL_LATIN.get(letter)
  if (small !== undefined) return small
  const [base = letter, ...marks] = letter.normalize('NFKD')
  if (base > LAST_READ) return letter
  return marks.reduce((read, mark) => {
    const marked = `${read}${mark}`.normalize('NFC')
    return marked.length === 1 && marked <= LAST_READ ? marked : read
  }, base)
}

/** Gives letters of a spelled word, such as "D N A", the sounds of their names. */
function withLettersNamed(parts: readonly SpokenPart[], family: string): readonly SpokenPart[] {
  const names = NAMED_LETTERS[family]
  if (names === undefined) return parts
  const spelled = new Set<number>()
  for (const { 0: run, index } of spokenText(parts).matchAll(SPELLED))
    for (let unit = 0; unit < run.length; unit += 2) spelled.add(index + unit)
  if (spelled.size === 0) return parts
  let at = 0
  return parts.map((part) => {
    const name = spelled.has(at) ? names[part.spoken] : undefined
    at += part.spoken.length
    return name === undefined ? part : { ...part, spoken: name }
  })
}

/** Puts a comma after every third repetition of a letter, so that eSpeak says all of them. Pure. */
export function withLettersApart(parts: readonly SpokenPart[]): readonly SpokenPart[] {
  const commas = commasIn(spokenText(parts))
  if (commas.size === 0) return parts
  let at = 0
  return parts.map((part) => {
    let spoken = ''
    for (let unit = 0; unit < part.spoken.length; unit++, at++) spoken += commas.get(at) ?? part.spoken[unit]
    return { ...part, spoken }
  })
}

function commasIn(text: string): ReadonlyMap<number, string> {
  const commas = new Map<number, string>()
  for (const { 0: run, index: start } of text.matchAll(RUN)) {
    for (const [count, { 0: between, index }] of [...run.matchAll(BETWEEN)].entries()) {
      if ((count + 1) % MOST !== 0) continue
      for (let unit = 0; unit < between.length; unit++) commas.set(start + index + unit, unit === 0 ? ',' : ' ')
    }
  }
  return commas
}

/** Returns the modern kana for an archaic or small form, or undefined. Pure. */
export const modernKana = (character: string): string | undefined =>
  SMALL_KANA[character] ?? MODERN_KANA[(character.codePointAt(0) ?? 0) - BLOCK_START]
