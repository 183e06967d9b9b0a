import { english } from './english/english.ts'
import { CYRILLIC, type Fallbacks, HAN, HANGUL, KANA, OTHER_SCRIPTS, withFallbacks } from './foreign.ts'
import { chinese } from './languages/chinese.ts'
import { GREEK_LETTERS as CHINESE_GREEK } from './languages/chinese-words.ts'
import { french } from './languages/french.ts'
import { german } from './languages/german.ts'
import { italian } from './languages/italian.ts'
import { GREEK_LETTERS as ITALIAN_GREEK } from './languages/italian-words.ts'
import { japanese } from './languages/japanese.ts'
import { GREEK_LETTERS as JAPANESE_GREEK } from './languages/japanese-words.ts'
import { korean } from './languages/korean.ts'
import { GREEK_LETTERS as KOREAN_GREEK } from './languages/korean-words.ts'
import { portuguese } from './languages/portuguese.ts'
import { GREEK_LETTERS as PORTUGUESE_GREEK } from './languages/portuguese-words.ts'
import { russian } from './languages/russian.ts'
import { spanish } from './languages/spanish.ts'
import { GREEK_LETTERS as SPANISH_GREEK } from './languages/spanish-words.ts'
import { allSteps, type Reading, type RuleBook, scanInSteps } from './scan.ts'

/** English of the United States or of Great Britain, Portuguese of Brazil or of Portugal. */
export type Variant = 'US' | 'GB' | 'BR' | 'PT'

export interface ReadOptions {
  /** Absent: `US` and `BR`. Other languages have none. */
  readonly variant?: Variant | undefined
}

interface Language extends Omit<Fallbacks, 'symbolNames'> {
  book(variant: Variant | undefined): RuleBook
}

const RUSSIAN_GREEK =
  'альфа бета гамма дельта эпсилон дзета эта тета йота каппа лямбда мю ню кси омикрон пи ро сигма тау ипсилон фи хи пси омега'.split(
    ' ',
  )
/** For languages in Latin letters. */
const FOREIGN = `${CYRILLIC}${HANGUL}${KANA}${HAN}${OTHER_SCRIPTS}`

const LANGUAGES: Readonly<Record<string, Language>> = {
  Chinese: {
    book: chinese,
    locale: 'zh',
    foreign: `${CYRILLIC}${HANGUL}${KANA}${OTHER_SCRIPTS}`,
    greek: CHINESE_GREEK,
    not: '不',
  },
  English: { book: english, locale: 'en', foreign: FOREIGN, not: 'not' },
  French: { book: french, locale: 'fr', foreign: FOREIGN, not: 'non', raised: true },
  German: { book: german, locale: 'de', foreign: FOREIGN, not: 'nicht' },
  Italian: { book: italian, locale: 'it', foreign: FOREIGN, greek: ITALIAN_GREEK, not: 'non' },
  Japanese: {
    book: japanese,
    locale: 'ja',
    foreign: `${CYRILLIC}${HANGUL}${OTHER_SCRIPTS}`,
    greek: JAPANESE_GREEK,
    not: '否定',
  },
  Korean: {
    book: korean,
    locale: 'ko',
    foreign: `${CYRILLIC}${KANA}${HAN}${OTHER_SCRIPTS}`,
    greek: KOREAN_GREEK,
    not: '부정',
  },
  Portuguese: {
    book: (variant) => portuguese(variant === 'PT' ? 'pt-PT' : 'pt'),
    locale: 'pt',
    foreign: FOREIGN,
    greek: PORTUGUESE_GREEK,
    not: 'não',
  },
  Russian: {
    book: russian,
    locale: 'ru',
    foreign: `${HANGUL}${KANA}${HAN}${OTHER_SCRIPTS}`,
    greek: RUSSIAN_GREEK,
    not: 'не',
  },
  Spanish: { book: spanish, locale: 'es', foreign: FOREIGN, greek: SPANISH_GREEK, not: 'no', raised: true },
}

const books = new Map<string, RuleBook>()

/**
 * Gives a text the words that a person would say: numbers, dates, amounts, abbreviations, symbols. All other text stays as it is.
 * The rules of a language are built when it is first read. The time is linear in the length of the text.
 * @param text composed (NFC)
 * @param language by the product's name, such as `English`. A text in another language comes back unchanged, without tokens.
 * @returns the spoken text, and each part that is spoken in other words, in the order of the text, in code points of `text`
 */
export const read = (text: string, language: string, options: ReadOptions = {}): Reading =>
  allSteps(readInSteps(text, language, options))

/** Reads like `read`, but stops after every 500 characters or so, so that its caller can let other work run. */
export function* readInSteps(
  text: string,
  language: string,
  { variant }: ReadOptions = {},
): Generator<void, Reading, void> {
  const book = bookOf(language, variant)
  return book === null ? { spoken: text, tokens: [] } : yield* scanInSteps(text, book)
}

/** The rules of a language; null if it is none of the ten. */
export function bookOf(language: string, variant: Variant | undefined): RuleBook | null {
  const words = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
  if (words === undefined) return null
  const key = `${language} ${variant ?? ''}`
  const known = books.get(key)
  if (known !== undefined) return known
  const book = withFallbacks(words.book(variant), { ...words, symbolNames: language.toLowerCase() })
  books.set(key, book)
  return book
}
