import { createRequire } from 'node:module'
import type { detect as Detect } from 'tinyld'
import { FREQUENT } from './frequent-words.ts'

// The tables load slowly, so the first text that needs them loads them.
const load = createRequire(import.meta.url)
let detect: typeof Detect | undefined
const statistics = () => (detect ??= (load('tinyld') as { detect: typeof Detect }).detect)

/** In the order and spelling of the published endpoint. */
export const LANGUAGES = [
  'Chinese',
  'English',
  'Japanese',
  'Korean',
  'French',
  'German',
  'Italian',
  'Spanish',
  'Portuguese',
  'Russian',
] as const

export type Language = (typeof LANGUAGES)[number]

/** ISO 639-1. */
export const LANGUAGE_CODES: Readonly<Record<Language, string>> = {
  Chinese: 'zh',
  English: 'en',
  Japanese: 'ja',
  Korean: 'ko',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Spanish: 'es',
  Portuguese: 'pt',
  Russian: 'ru',
}

const SAMPLE_CHARACTERS = 1000
const SHORT_TEXT_WORDS = 6
const SHORT_TEXT_SHARE = 0.6
const GUESS_SHARE = 0.15
const OWN_SHARE = 0.03
const LETTERS_PER_SYLLABLE = 3

const LATIN: Readonly<Record<string, Language>> = {
  en: 'English',
  fr: 'French',
  de: 'German',
  it: 'Italian',
  es: 'Spanish',
  pt: 'Portuguese',
}

const MARKED_WORDS = 2
const MARKS: readonly (readonly [RegExp, Language])[] = [
  [/[¿¡ñ]/iu, 'Spanish'],
  [/[ãõ]/iu, 'Portuguese'],
  [/[ßäöü]/iu, 'German'],
  [/[œêîûçë]/iu, 'French'],
]

const FREQUENT_WORDS: readonly (readonly [Language, ReadonlySet<string>])[] = Object.entries(FREQUENT).map(
  ([language, words]) => [language as Language, new Set(words.split(' '))] as const,
)

/** Characters of Japan only, and signs of Japanese writing. */
const JAPANESE_FORMS =
  /[々〆ヶ亜悪圧囲壱隠栄営駅円縁応桜仮懐絵壊拡覚楽勧歓観巻関陥顔気帰戯犠拠挙郷暁駆勲恵渓経継軽鶏芸撃県険圏検権顕験厳広鉱済剤雑桟賛児実釈収従渋獣縦粛処奨焼証縄譲醸図穂瀬窃摂専浅戦践銭潜繊捜挿巣騒総蔵臓続対帯滞択沢単団弾鋳庁聴勅鎮逓鉄転伝稲闘徳読届弐悩脳廃拝売発髪抜浜払仏変辺歩豊毎満訳薬様謡頼覧竜両猟緑塁涙齢労録働込峠畑辻枠黒戸塩姫麺匂凪雫扱]/u
const CHINESE_FORMS =
  /[这們们个說说么麼吗嗎您她你妳呢吧啊哪很还过给为时车东门问间见长开关让讓从從來对對后发话语习爱谁谢]/u

const ADDRESS = /\p{L}+:\/\/\S+|\S*@\S+|#\p{L}\S*|(?:[\w-]+\.)+[a-z][\w-]+(?:\/\S*)?|\S*[\\_/]\S*[\\_/]\S*/giu
const WORD = /\p{L}[\p{L}\p{M}]+/gu
/** Words of one letter only decide between languages that other words suggest. */
const SINGLE = /(?<![\p{L}\p{M}\p{N}'’])[aeoyàèé](?![\p{L}\p{M}'’.)])/gu
const SINGLES: Readonly<Partial<Record<Language, string>>> = {
  English: 'a',
  French: 'aày',
  Italian: 'aeoè',
  Spanish: 'aeyo',
  Portuguese: 'aeoàé',
}
const NAME = /(?<=[^\s.!?¿¡:;"“”„«»()\p{Pd}][\s'’]+)\p{Lu}\p{Ll}[\p{L}\p{M}]*/gu
/** "Charles de Gaulle": particles between names belong to them. */
const PARTICLE = /(?<=\p{Lu}\p{L}+\s)(?:(?:d[aeiou]|d[ao]s|del|della|der|den|du|el|l[aeo]s?|v[ao]n|y|e)\s)+(?=\p{Lu})/gu
const SPANISH_SIGN = /[¿¡]/

/**
 * Detects a text's language; undefined if none of the ten fits. Pure.
 * @param own the voice's language, kept unless the text clearly shows another
 */
export function detectLanguage(text: string, own?: Language): Language | undefined {
  const from = Math.max(0, text.search(/[¿¡]?\p{L}/u))
  const composed = text.slice(from, from + SAMPLE_CHARACTERS).normalize('NFC')
  const said = composed.replace(ADDRESS, ' ')
  const language = byScript(said) ?? byScript(composed)
  if (language === 'Latin') return own === undefined ? detectLatin(said) : detectLatinFor(own, said)
  // Kanji alone may be either, so a Japanese voice keeps Japanese without Chinese-only forms.
  return language === 'Chinese' && own === 'Japanese' && !hasChineseForms(composed) ? 'Japanese' : language
}

/** Cheap, unlike detecting the language. Pure. */
export const isMostlyLatin = (text: string): boolean => byScript(text.slice(0, SAMPLE_CHARACTERS)) === 'Latin'

function byScript(sample: string): Language | 'Latin' | undefined {
  const latin = countMatches(sample, /\p{Script=Latin}/gu)
  const cyrillic = countMatches(sample, /\p{Script=Cyrillic}/gu)
  const hangul = countMatches(sample, /\p{Script=Hangul}/gu) * LETTERS_PER_SYLLABLE
  const kana = countMatches(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) * LETTERS_PER_SYLLABLE
  const han = countMatches(sample, /\p{Script=Han}/gu) * LETTERS_PER_SYLLABLE
  const most = Math.max(latin, cyrillic, hangul, kana + han)
  if (most === 0) return undefined
  if (most === hangul) return 'Korean'
  if (most === kana + han) return kana > 0 || isKanji(sample) ? 'Japanese' : 'Chinese'
  return most === cyrillic ? 'Russian' : 'Latin'
}

const hasChineseForms = (text: string): boolean => CHINESE_FORMS.test(text)

const isKanji = (text: string): boolean => JAPANESE_FORMS.test(text) && !hasChineseForms(text)

/** Letter statistics are slow, so frequent words decide first. */
function detectLatin(sample: string): Language | undefined {
  const words: string[] = sample.toLowerCase().match(WORD) ?? []
  if (words.length > SHORT_TEXT_WORDS) {
    const guess = byStatistics(sample)
    if (guess) return guess
  }
  const tied = byFrequentWords(words)
  if (tied.length === 1) return tied[0]
  const byMark = () => MARKS.find(([mark]) => mark.test(sample))?.[1]
  if (tied.length === 0) return byMark() ?? byStatistics(sample)
  const guess = byStatistics(sample)
  return tied.find((language) => language === guess) ?? byMark() ?? guess
}

const byStatistics = (sample: string): Language | undefined => LATIN[statistics()(sample, { only: Object.keys(LATIN) })]

function byFrequentWords(words: readonly string[]): Language[] {
  const scores = FREQUENT_WORDS.map(([language, known]) => [language, count(words, known)] as const)
  const best = Math.max(...scores.map(([, score]) => score))
  return best === 0 ? [] : scores.filter(([, score]) => score === best).map(([language]) => language)
}

const count = (words: readonly string[], known: ReadonlySet<string>): number =>
  words.reduce((sum, word) => (known.has(word) ? sum + 1 : sum), 0)

/** Names and letter statistics alone are no evidence against the voice's language. */
function detectLatinFor(own: Language, sample: string): Language {
  if (SPANISH_SIGN.test(sample)) return 'Spanish'
  const words: string[] = sample.toLowerCase().match(WORD) ?? []
  const singles: string[] = sample.match(SINGLE) ?? []
  const named: string[] = withoutNames(sample).toLowerCase().match(WORD) ?? []
  const total = words.length + singles.length
  if (total < SHORT_TEXT_WORDS) return shortTextOf(own, named, words.length)
  const more = FREQUENT_WORDS.filter(([language]) => language !== own && onlyIn(language, own, named) > 0)
  const guess = byStatistics(sample)
  if (more.length === 0) return count(named, wordsOf(own)) === 0 && isMarked(guess, words) ? guess : own
  const weigh = (language: Language): number => {
    const ofOne = singles.filter((letter) => SINGLES[language]?.includes(letter)).length
    return (count(named, wordsOf(language)) + ofOne / 2) / total + (language === guess ? GUESS_SHARE : 0)
  }
  const isLikely = (language: Language): boolean =>
    onlyIn(language, own, named) > 1 || (language === guess && onlyIn(own, language, named) === 0)
  const likely = more.flatMap(([language]) => (isLikely(language) ? [[language, weigh(language)] as const] : []))
  return likely.reduce((most, one) => (one[1] > most[1] ? one : most), [own, weigh(own) + OWN_SHARE] as const)[0]
}

/** A headline may lack frequent words, so letters of one language decide in several words. */
const isMarked = (language: Language | undefined, words: readonly string[]): language is Language =>
  MARKS.some(([mark, one]) => one === language && words.filter((word) => mark.test(word)).length >= MARKED_WORDS)

function shortTextOf(own: Language, words: readonly string[], total: number): Language {
  const clear = clearlyOf(words, total)
  return clear !== undefined && count(words, wordsOf(clear)) > count(words, wordsOf(own)) ? clear : own
}

const onlyIn = (language: Language, other: Language, words: readonly string[]): number =>
  count(
    [...new Set(words)].filter((word) => !wordsOf(other).has(word)),
    wordsOf(language),
  )

const wordsOf = (language: Language): ReadonlySet<string> =>
  FREQUENT_WORDS.find(([name]) => name === language)?.[1] ?? new Set()

function clearlyOf(words: readonly string[], total: number): Language | undefined {
  const different = [...new Set(words)]
  const [language, ...tied] = byFrequentWords(different)
  if (language === undefined || tied.length > 0) return undefined
  const hits = count(different, wordsOf(language))
  return hits >= 2 && hits >= SHORT_TEXT_SHARE * total ? language : undefined
}

const withoutNames = (sample: string): string =>
  /(?<!\p{L})\p{Ll}\p{L}/u.test(sample) ? sample.replace(PARTICLE, ' ').replace(NAME, ' ') : sample

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
