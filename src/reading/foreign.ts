import anyAscii from 'any-ascii'
import { romanValue, rule, rulesAt } from './rules.ts'
import { type Read, type Rule, type RuleBook, scan } from './scan.ts'
import { namesIn } from './symbol-names.ts'

/** A language's words for text that its own rules leave. */
export interface Fallbacks {
  /** Ranges of letters that engines of the language do not say. */
  readonly foreign: string
  /** A file of `symbol-names/`. */
  readonly symbolNames: string
  /** The names of the Greek letters from alpha to omega. Absent: in English. */
  readonly greek?: readonly string[]
  /** The language's own rules read raised letters: "Mᵐᵉ". */
  readonly raised?: true
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
const EMOJI = String.raw`(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)(?:[\u{1f3fb}-\u{1f3ff}\ufe0f\u20e3]|\u200d\p{Extended_Pictographic}){0,8}`
/** Lines, boxes, parts of large brackets and quotation marks of ornaments are layout, not text. */
const LAYOUT = /[\u2500-\u259f\u239b-\u23b3\u23b8-\u23bd\u2320\u2321\u230c-\u230f\u231c-\u231f\u2758-\u2760\u2800]/
/** Shapes, arrows, stars and ornaments; ticks and crosses say something. */
const BULLET = /[\u25a0-\u25ff\u2605\u2606\u2720-\u2767\u2794-\u27bf\u2190-\u21ff]/
/** A person says no marks of trade. */
const TRADE_MARKS = rule('symbol', 'symbol', '[®™℠]', () => '')
/** The pictures of control characters, from U+2400 on. */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP DEL'.split(
    ' ',
  )
const BRAILLE = '⠿'

/**
 * Adds rules behind those of a language, so that nothing is lost: letters of other scripts are transliterated, digits and compatibility characters
 * become the language's own, and symbols are said by name. Emoji are silent.
 */
export function withFallbacks(book: RuleBook, fallbacks: Fallbacks): RuleBook {
  const { raised } = fallbacks
  const rules: Rule[] = []
  const whole: RuleBook = {
    ...book,
    rules,
    ...(raised === undefined && { fold: (text) => withPlainLetters(book.fold?.(text) ?? text) }),
  }
  rules.push(TRADE_MARKS, ...book.rules, ...letterRules(fallbacks))
  rules.push(...moneyRules(whole, fallbacks), ...symbolRules(whole, fallbacks))
  return whole
}

/** Raised letters of abbreviations: "5ᵗʰ", "Mᵐᵉ", "nᵒ". */
const withPlainLetters = (text: string): string =>
  text.replaceAll(/[ʰʲʳʷʸˡˢˣᴬᴮᴰᴱᴳ-ᴺᴼᴾᴿᵀᵁᵂᵃᵇᵈᵉᵍᵏᵐᵒᵖᵗᵘᵛᶜᶠᶻ]/g, (letter) => letter.normalize('NFKC'))

function letterRules({ foreign, greek = GREEK_NAMES }: Fallbacks): Rule[] {
  return [
    rule('symbol', 'letter', '(?<letter>[Α-Ωα-ωµ])(?![\u0370-\u03ff\u1f00-\u1fff])', ({ letter = '' }) => {
      const index = GREEK_LETTERS.indexOf(letter.normalize('NFKC').toLowerCase())
      return greek[index] ?? null
    }),
    rule('abbreviation', 'letter', String.raw`[\u{1d400}-\u{1d7cb}]{1,60}`, (_groups, _around, match) =>
      match.normalize('NFKC'),
    ),
    // Ligatures of printed books and full-width letters.
    rule(
      'abbreviation',
      'letter',
      String.raw`[\p{L}]{0,30}[\u02b0-\u02b8\u1d2c-\u1d6a\u2071\u207f\u2090-\u209c\u2102-\u211f\u2121\u2123-\u214e\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a][\p{L}]{0,30}`,
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

/** A symbol by its name, its number, or its plain form. */
function symbolReader(book: RuleBook, not: string, nameOf: (symbol: string) => string | undefined): Read {
  const say = (text: string): string => scan(text, book).spoken
  return (_groups, { before, after }, match) => {
    if (BULLET.test(match) && /(?:^|\n)\s*$/.test(before) && /^\s/.test(after)) return ''
    const [base = '', crossing] = match.normalize('NFD')
    const dots = dotsOf(match)
    if (dots !== null) return `${nameOf(BRAILLE)} ${dots.map((dot) => say(String(dot))).join(' ')}`
    const name =
      nameOf(match) ?? (crossing === '\u0338' && nameOf(base) !== undefined ? `${not} ${nameOf(base)}` : undefined)
    if (name !== undefined) return name
    const value = numeralOf(match)
    if (value !== null) return match === '〇' && book.spaces === 'none' ? null : say(String(value))
    const control = CONTROLS[match.charCodeAt(0) - 0x2400]
    if (control !== undefined) return say(control)
    const plain = match.normalize('NFKC').replace('⁄', '/')
    return plain === match ? null : (nameOf(plain) ?? say(plain))
  }
}

function symbolRules(book: RuleBook, { symbolNames, not }: Fallbacks): Rule[] {
  const nameOf = namesIn(symbolNames)
  const readSymbol = symbolReader(book, not, nameOf)
  return [
    rule('symbol', 'symbol', String.raw`[\u2060-\u2bff](?!\ufe0f)`, (groups, around, match) =>
      nameOf(match) === undefined ? null : readSymbol(groups, around, match),
    ),
    rule('emoji', 'symbol', EMOJI, () => ''),
    rule('emoji', 'symbol', String.raw`[\u{10000}-\u{10ffff}]`, (_groups, _around, match) =>
      /\p{Extended_Pictographic}|\p{Emoji_Component}/u.test(match) ? '' : null,
    ),
    ...rulesAt(
      ['digit', 'symbol'],
      'cardinal',
      String.raw`(?![0-9])\p{Nd}[\p{Nd}.,]{0,40}(?<![.,])`,
      (_groups, _around, match) => {
        const plain = match.replaceAll(/\P{ASCII}/gu, digitOf)
        return /^[\d.,]+$/.test(plain) ? scan(plain, book).spoken : null
      },
    ),
    rule('symbol', 'symbol', LAYOUT.source, () => ''),
    rule('symbol', 'symbol', '[|^~<>]', (_groups, { before, after }, match) =>
      isRuled(match, before, after) ? null : (nameOf(match) ?? null),
    ),
    rule('symbol', 'symbol', NO_PUNCTUATION, (groups, around, match) =>
      /[\p{S}\p{N}§¶‰‱※]/u.test(match) ? readSymbol(groups, around, match) : null,
    ),
  ]
}

/** If a mark belongs to a line of its like, to a table, or to the edge of a line. */
function isRuled(mark: string, before: string, after: string): boolean {
  const [left, right] = [/[^\n]*$/.exec(before)?.[0] ?? '', /^[^\n]*/.exec(after)?.[0] ?? '']
  if (left.trim() === '' && right.trim() === '') return left !== '' || right !== '' || before !== '' || after !== ''
  if (left.endsWith(mark) || right.startsWith(mark) || /[-=:]{2}$/.test(left)) return true
  const isApart = /^$|\s$/.test(left) || /^$|^\s/.test(right)
  return isApart && (left.trim() === '' || right.trim() === '' || (left + right).includes(mark))
}

/** The numbers of the raised dots of a Braille character. */
function dotsOf(character: string): number[] | null {
  const bits = character.charCodeAt(0) - 0x2800
  return bits > 0 && bits < 0x100 ? [1, 2, 3, 4, 5, 6, 7, 8].filter((dot) => bits & (1 << (dot - 1))) : null
}

/** First and last of numerals that Unicode gives no plain form, the value of the first, and the step from one to the next. */
const NUMERALS = [
  ['❶', '❿', 1, 1],
  ['➀', '➉', 1, 1],
  ['➊', '➓', 1, 1],
  ['⓫', '⓴', 11, 1],
  ['⓵', '⓾', 1, 1],
  ['⓿', '⓿', 0, 1],
  ['㉈', '㉏', 10, 10],
  ['⚀', '⚅', 1, 1],
  ['〡', '〩', 1, 1],
  ['〇', '〇', 0, 1],
  ['ↀ', 'ↀ', 1000, 1],
  ['ↁ', 'ↂ', 5000, 5000],
  ['ↅ', 'ↆ', 6, 44],
  ['ↇ', 'ↈ', 50_000, 50_000],
  ['↊', '↋', 10, 1],
] as const

/** The value of a Roman or circled numeral that is one character. */
function numeralOf(character: string): number | null {
  if (/[Ⅰ-ⅿ]/.test(character)) return romanValue(character.normalize('NFKC').toUpperCase())
  const range = NUMERALS.find(([first, last]) => character >= first && character <= last)
  if (range === undefined) return null
  const [first, , value, step] = range
  return value + step * (character.charCodeAt(0) - first.charCodeAt(0))
}

/** The value of a digit of any script: most have no plain form, and the ten of each stand behind each other. */
function digitOf(character: string): string {
  const plain = character.normalize('NFKC')
  if (!/\p{Nd}/u.test(character) || /^\d$/.test(plain)) return plain
  const code = character.codePointAt(0) as number
  let zero = code
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}
