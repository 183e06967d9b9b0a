import { readFileSync } from 'node:fs'
import anyAscii from 'any-ascii'
import { romanValue, rule, rulesAt } from './rules.ts'
import { type Read, type Rule, type RuleBook, scan } from './scan.ts'

/** A language's words for text that its own rules leave. */
export interface Fallbacks {
  /** Ranges of letters that engines of the language do not say. */
  readonly foreign: string
  /** A file of `symbol-names/`: lines of a character and its name, from CLDR's annotations, version 48.2 (Unicode-3.0). */
  readonly symbolNames: string
  /** The names of the Greek letters from alpha to omega. Absent: in English. */
  readonly greek?: readonly string[]
  /** Before the name of a crossed symbol: "not" for ∉. */
  readonly not: string
  /** A locale of `Intl`, for the names of currencies. */
  readonly locale: string
}

/** Letters by script, in ranges that compile fast. */
export const CYRILLIC = '\u0400-\u052f\u1c80-\u1c8f\ua640-\ua69f'
export const HANGUL = '\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff'
export const KANA = '\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f'
export const HAN = '\u3005\u3400-\u9fff\uf900-\ufaff'
export const OTHER_SCRIPTS =
  '\u0370-\u03ff\u0530-\u10ff\u1200-\u1c7f\u1c90-\u1cff\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2dff\u3105-\u312f\u31a0-\u31bf\ua000-\ua63f\ua6a0-\ua6ff\ua800-\uab2f\uab70-\uabff\ufb07-\ufdff\ufe70-\ufeff'
const GREEK_LETTERS = 'αβγδεζηθικλμνξοπρστυφχψω'
const GREEK_NAMES =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega'.split(
    ' ',
  )
/** Letters that a transliteration leaves out. */
const LETTER_NAMES: Readonly<Record<string, string>> = {
  א: 'alef',
  ע: 'ayin',
  ا: 'alef',
  أ: 'alef',
  إ: 'alef',
  ع: 'ayn',
  ء: 'hamza',
  ь: 'soft sign',
  ъ: 'hard sign',
}
const CURRENCY_CODES: Readonly<Record<string, string>> = {
  '₪': 'ILS',
  '₫': 'VND',
  '₴': 'UAH',
  '₸': 'KZT',
  '₺': 'TRY',
  '₱': 'PHP',
  '₡': 'CRC',
  '₲': 'PYG',
  '₮': 'MNT',
  '₾': 'GEL',
  '₼': 'AZN',
  '₭': 'LAK',
  '₦': 'NGN',
  '₵': 'GHS',
  '฿': 'THB',
  '₨': 'PKR',
  '؋': 'AFN',
  '៛': 'KHR',
  '֏': 'AMD',
  '৳': 'BDT',
  '₧': 'ESP',
  '₯': 'GRD',
  '₠': 'XEU',
  '₣': 'FRF',
  '₤': 'ITL',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₢': 'BRL',
  '₶': 'FRF',
  '₳': 'ARS',
  '₷': 'ESP',
  '₰': 'DEM',
  '₻': 'DKK',
  '⃀': 'KGS',
  '৻': 'BDT',
  '৲': 'BDT',
  '૱': 'INR',
  '௹': 'INR',
  '꠸': 'INR',
  '߾': 'GNF',
  '߿': 'GNF',
  '⃁': 'SAR',
  '₥': 'USD',
}
/** Dashes, quotation marks and spaces are left, without a look at their names. */
const NO_PUNCTUATION =
  '(?![\u2010-\u2027\u2039\u203a\u203c-\u2043\u2045-\u205f])[\u00a2-\u00b9\u00bc-\u00be\u00d7\u00f7\u02b0-\uffef]'
/** Lines and boxes are layout, not text. */
const LAYOUT = /[\u2500-\u259f]/
const BULLET = /[\u25a0-\u27bf\u2190-\u21ff]/

/**
 * Adds rules behind those of a language, so that nothing is lost: letters of other scripts are transliterated, digits and compatibility characters
 * become the language's own, and symbols are said by name. Emoji are silent.
 */
export function withFallbacks(book: RuleBook, fallbacks: Fallbacks): RuleBook {
  return {
    ...book,
    rules: [...book.rules, ...letterRules(fallbacks), ...moneyRules(book, fallbacks), ...symbolRules(book, fallbacks)],
  }
}

function letterRules({ foreign, greek = GREEK_NAMES }: Fallbacks): Rule[] {
  return [
    rule('symbol', 'letter', '(?<letter>[Α-Ωα-ωµ])(?![\u0370-\u03ff\u1f00-\u1fff])', ({ letter = '' }) => {
      const index = GREEK_LETTERS.indexOf(letter.normalize('NFKC').toLowerCase())
      return greek[index] ?? null
    }),
    // Ligatures of printed books and full-width letters.
    rule(
      'abbreviation',
      'letter',
      String.raw`[\p{L}]{0,30}[\u2102-\u211f\u2121\u2123-\u214e\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a][\p{L}]{0,30}`,
      (_groups, _around, match) => match.normalize('NFKC'),
    ),
    rule('abbreviation', 'letter', `[${foreign}]{1,40}`, (_groups, _around, match) => {
      const spoken = anyAscii(match).trim()
      return /[a-z]/i.test(spoken) ? spoken : (LETTER_NAMES[match.toLowerCase()] ?? null)
    }),
  ]
}

/** Amounts in currencies that the language's own rules do not know. */
function moneyRules(book: RuleBook, { locale }: Fallbacks): Rule[] {
  const SIGN = `(?<sign>[${Object.keys(CURRENCY_CODES).join('')}])`
  const NUMBER = String.raw`(?<number>\d(?:[\d.,]{0,20}\d)?)`
  const read: Read = ({ sign = '', number }, { before }) => {
    const format = { style: 'currency', currency: CURRENCY_CODES[sign], currencyDisplay: 'name' } as const
    const parts = new Intl.NumberFormat(locale, format).formatToParts(
      number === '1' || /(?:^|[^\d.,])1 ?$/.test(before) ? 1 : 5,
    )
    const name = parts.find(({ type }) => type === 'currency')?.value ?? ''
    return number === undefined ? name : `${scan(number, book).spoken} ${name}`
  }
  return [rule('money', 'symbol', `${SIGN} ?${NUMBER}`, read), rule('money', 'symbol', SIGN, read)]
}

function symbolRules(book: RuleBook, { symbolNames, not }: Fallbacks): Rule[] {
  const nameOf = namesIn(symbolNames)
  const say = (text: string): string => scan(text, book).spoken
  const readNumber: Read = (_groups, _around, match) => {
    const plain = match.replaceAll(/\P{ASCII}/gu, digitOf)
    return /^[\d.,]+$/.test(plain) ? say(plain) : null
  }
  const readSymbol: Read = (_groups, { before, after }, match) => {
    if (BULLET.test(match) && /(?:^|\n)\s*$/.test(before) && /^\s/.test(after)) return ''
    const [base = '', crossing] = match.normalize('NFD')
    const name =
      nameOf(match) ?? (crossing === '\u0338' && nameOf(base) !== undefined ? `${not} ${nameOf(base)}` : undefined)
    if (name !== undefined) return name
    const value = numeralOf(match)
    if (value !== null) return say(String(value))
    const plain = match.normalize('NFKC').replace('⁄', '/')
    return plain === match ? null : (nameOf(plain) ?? say(plain))
  }
  const EMOJI = String.raw`(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)(?:[\u{1f3fb}-\u{1f3ff}\ufe0f\u20e3]|\u200d\p{Extended_Pictographic}){0,8}`
  return [
    rule('symbol', 'symbol', String.raw`[\u2060-\u2bff](?!\ufe0f)`, (groups, around, match) =>
      nameOf(match) === undefined ? null : readSymbol(groups, around, match),
    ),
    rule('emoji', 'symbol', EMOJI, () => ''),
    rule('emoji', 'symbol', String.raw`[\u{10000}-\u{10ffff}]`, (_groups, _around, match) =>
      /\p{Extended_Pictographic}|\p{Emoji_Component}/u.test(match) ? '' : null,
    ),
    ...rulesAt(['digit', 'symbol'], 'cardinal', String.raw`(?![0-9])\p{Nd}[\p{Nd}.,]{0,40}(?<![.,])`, readNumber),
    rule('symbol', 'symbol', LAYOUT.source, () => ''),
    rule('symbol', 'symbol', NO_PUNCTUATION, (groups, around, match) =>
      /[\p{S}\p{N}§¶‰‱※]/u.test(match) ? readSymbol(groups, around, match) : null,
    ),
  ]
}

/** Signs in common use without a name in CLDR, and the sign whose name they share. */
const ALIKE: Readonly<Record<string, string>> = {
  '★': '⭐',
  '☆': '⭐',
  '✓': '✔',
  '✗': '❌',
  '✘': '❌',
  '♩': '♪',
  '♫': '♪',
  '♬': '♪',
  '♡': '♥',
  '☐': '□',
  '☏': '☎',
  '➔': '→',
}

/** The table of names is read when the first symbol needs it. */
function namesIn(file: string): (symbol: string) => string | undefined {
  let names: ReadonlyMap<string, string> | null = null
  return (symbol) => {
    names ??= new Map(
      readFileSync(new URL(`symbol-names/${file}.txt`, import.meta.url), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(0, 1), line.slice(2)] as const),
    )
    return names.get(symbol) ?? names.get(ALIKE[symbol] ?? '')
  }
}

/** First and last of circled and black numbers, and the value of the first. */
const CIRCLED = [
  ['❶', '❿', 1],
  ['➀', '➉', 1],
  ['➊', '➓', 1],
  ['⓫', '⓴', 11],
  ['⓵', '⓾', 1],
  ['⓿', '⓿', 0],
] as const

/** The value of a Roman or circled numeral that is one character. */
function numeralOf(character: string): number | null {
  if (/[Ⅰ-ⅿ]/.test(character)) return romanValue(character.normalize('NFKC').toUpperCase())
  const range = CIRCLED.find(([first, last]) => character >= first && character <= last)
  return range === undefined ? null : range[2] + character.charCodeAt(0) - range[0].charCodeAt(0)
}

/** The value of a digit of any script: their zeros stand at multiples of ten behind each other. */
function digitOf(character: string): string {
  if (!/\p{Nd}/u.test(character)) return character
  const code = character.codePointAt(0) as number
  let zero = code
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}
