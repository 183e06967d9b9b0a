import { bookOf, type ReadOptions } from './read.ts'
import { romanValue } from './rules.ts'
import { type Around, type RuleBook, readWhole, scan, type TokenKind } from './scan.ts'

/** The kinds that SSML's `say-as` asks for, by its usual names. */
const KINDS: Readonly<Record<string, Kind>> = {
  cardinal: { kinds: ['cardinal', 'decimal'], forms: cardinals },
  number: { kinds: ['cardinal', 'decimal'], forms: cardinals },
  ordinal: { kinds: ['ordinal'], forms: ordinals },
  fraction: { kinds: ['fraction'], forms: fractions },
  unit: { kinds: ['measure'], forms: (text) => [text] },
  date: { kinds: ['date'], forms: dates },
  time: { kinds: ['time'], forms: times },
  duration: { kinds: ['measure'], forms: () => [] },
  currency: { kinds: ['money'], forms: amounts },
  telephone: { kinds: ['telephone'], forms: (text) => [text] },
  digits: { kinds: [], forms: () => [] },
  characters: { kinds: [], forms: () => [] },
}

interface Kind {
  readonly kinds: readonly TokenKind[]
  /** Ways to write the text that leave no doubt, the best first. */
  forms(text: string, language: string, options: ReadAsOptions): readonly string[]
}

export interface ReadAsOptions extends ReadOptions, Partial<Around> {
  /** The parts of a date or time by their letters, such as `dmy`; the code of a currency. */
  readonly format?: string
}

const LOCALES: Readonly<Record<string, string>> = {
  Chinese: 'zh',
  English: 'en',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Japanese: 'ja',
  Korean: 'ko',
  Portuguese: 'pt',
  Russian: 'ru',
  Spanish: 'es',
}
const EAST_ASIAN: ReadonlySet<string> = new Set(['Chinese', 'Japanese', 'Korean'])
const UNGROUPED = /^([-−–+]?)0*(\d{1,15})$/
/** Text that is longer is no number or date, and digits need no rules. */
const MAX_CHARACTERS = 200
/** With a sign of its form, such as U+FE0F. */
const MAX_MARK_CHARACTERS = 4
/** Years below this are of this century. */
const CENTURY_TURNS = 70
const PAUSES: Readonly<Record<string, string>> = { Chinese: '，', Japanese: '、' }
/** Before a telephone number or a year. Absent: none is needed. */
const PHONE_BEFORE: Readonly<Record<string, string>> = { Chinese: '电话', English: 'call ' }
const YEAR_BEFORE: Readonly<Record<string, string>> = { German: 'Jahr ' }

/**
 * Gives a text the words of a kind that its writer has chosen, whatever it would be read as by itself.
 * @param text composed (NFC), such as `3` or `11/28/2026`
 * @param as a value of SSML's `interpret-as`; others are no kinds
 * @param language by the product's name
 * @returns null if the text is not of that kind
 */
export function readAs(text: string, as: string, language: string, options: ReadAsOptions = {}): string | null {
  const kind = Object.hasOwn(KINDS, as) ? KINDS[as] : undefined
  const written = text.trim()
  const book = bookOf(language, options.variant)
  if (kind === undefined || book === null || written === '') return null
  const reader: Reader = { book, language, options }
  if (as === 'digits' || (as === 'telephone' && language === 'Japanese')) return digits(written, reader)
  if (as === 'characters') return character(written, reader)
  if (written.length > MAX_CHARACTERS) return null
  if (as === 'duration' || (as === 'time' && /['’′"”″]/.test(written))) return duration(written, reader)
  const forms = kind.forms(written, language, options)
  for (const form of forms) {
    const said = whole(form, kind.kinds, reader)
    if (said !== null) return said
  }
  return as === 'telephone' ? digits(written, reader) : inParts(forms.at(-1) ?? '', reader, written)
}

interface Reader {
  readonly book: RuleBook
  readonly language: string
  readonly options: ReadAsOptions
}

/** Reads a form by rules of these kinds alone, in its sentence if they apply there. */
function whole(form: string, kinds: readonly TokenKind[], { book, language, options }: Reader): string | null {
  const { before = '', after = '' } = options
  const places: readonly Around[] = [
    { before, after },
    { before: '', after: '' },
    ...(kinds.includes('telephone') ? [{ before: PHONE_BEFORE[language] ?? '', after: '' }] : []),
    ...(kinds.includes('date') ? [{ before: YEAR_BEFORE[language] ?? '', after: '' }] : []),
  ]
  for (const around of places) {
    const said = readWhole(form, around, book, kinds)
    if (said !== null) return said
  }
  return null
}

/** Forms of several parts, such as 第3 and "28 novembre", are read by all rules. */
function inParts(form: string, { book, language }: Reader, written: string): string | null {
  const before = /^\d{4}$/.test(form) ? (YEAR_BEFORE[language] ?? '') : ''
  const { spoken, tokens } = scan(before + form, book)
  return tokens.length === 0 && (form === written || form === '') ? null : spoken.slice(before.length)
}

/** Digit by digit, with a pause between groups. */
function digits(text: string, reader: Reader): string | null {
  if (!/\d/.test(text)) return null
  const { language, book } = reader
  const [gap, pause] = [EAST_ASIAN.has(language) ? '' : ' ', PAUSES[language] ?? ', ']
  const names = Array.from('0123456789', (one) => digit(one, book, language))
  const plus = character('+', reader) ?? '+'
  const groups = text.split(/[\s()/–-]/).filter((group) => group !== '')
  return groups
    .map((group) =>
      Array.from(group, (one) => (one === '+' ? plus : (names[Number(one)] ?? book.marks?.[one] ?? one))).join(gap),
    )
    .join(pause)
}

/** In Japanese a zero among digits has its own name. */
const digit = (written: string, book: RuleBook, language: string): string =>
  language === 'Japanese' && written === '0' ? 'ゼロ' : scan(written, book).spoken

/** The name of a digit or a mark. */
function character(written: string, { book, language }: Reader): string | null {
  if (/\p{L}/u.test(written) || written.length > MAX_MARK_CHARACTERS) return null
  if (/^\d$/.test(written)) return digit(written, book, language)
  const { spoken } = scan(written, book)
  return book.marks?.[written] ?? (spoken === written || spoken === '' ? null : spoken)
}

/** A number of four digits and more is no year if it has its mark. */
function cardinals(text: string, language: string): string[] {
  const roman = romanValue(text.toUpperCase())
  const [, sign, number] = UNGROUPED.exec(roman === null ? text : String(roman)) ?? []
  if (number === undefined) return [text]
  const mark = language === 'English' || EAST_ASIAN.has(language) ? ',' : '.'
  return [`${sign}${number.replaceAll(/\B(?=(?:\d{3})+$)/g, mark)}`]
}

function ordinals(text: string, language: string, { before = '' }: ReadAsOptions): string[] {
  const number = romanValue(text.toUpperCase()) ?? /^\d{1,15}(?=-?[\p{L}º°ª.]{0,6}$)/u.exec(text)?.[0]
  if (number === undefined) return []
  const form = (ORDINAL_FORMS[language] ?? ((value) => `${value}º`))(String(Number(number)))
  const inSentence = language === 'German' && before.trim() !== '' ? [`${number}.`] : []
  return [...(/\D/.test(text) && romanValue(text.toUpperCase()) === null ? [text] : []), ...inSentence, form]
}

const ORDINAL_FORMS: Readonly<Record<string, (number: string) => string>> = {
  Chinese: (number) => `第${number}`,
  English: (number) => `${number}${ENGLISH_SUFFIXES[englishSuffix(Number(number))] ?? 'th'}`,
  French: (number) => `${number}${number === '1' ? 'er' : 'e'}`,
  German: (number) => `${number}te`,
  Japanese: (number) => `${number}番目`,
  Korean: (number) => `${number}번째`,
  Russian: (number) => `${number}-й`,
}
const ENGLISH_SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const englishSuffix = (number: number): Intl.LDMLPluralRule =>
  new Intl.PluralRules('en', { type: 'ordinal' }).select(number)

/** "1/2", "3 1/2", "3+1/2", "3½". */
function fractions(text: string, language: string): string[] {
  const plain = text.replace(/(\d?)\s?([¼-¾⅐-⅞])/, (_all, whole: string, part: string) =>
    `${whole} ${part.normalize('NFKD')}`.trim(),
  )
  const [, all, top, bottom] = /^(?:(\d{1,6})[ +]{1,3})?(\d{1,6})\s?[/⁄]\s?(\d{1,6})$/.exec(plain) ?? []
  if (top === undefined) return []
  // "9/11" has a name, and "9/011" has none.
  const part = `${top}/${language === 'English' ? '0' : ''}${bottom}`
  if (all === undefined) return [part]
  return [`${all}${language === 'Korean' ? '과 ' : ' '}${part}`]
}

function dates(text: string, language: string, { format = '', variant }: ReadAsOptions): string[] {
  const numbers = /^\d{8}$/.test(text) ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)] : text.match(/\d+/g)
  if (numbers === null || /\p{L}{2}/u.test(text)) return [text]
  const given = format
    .toLowerCase()
    .replace(/[^dmy]/g, '')
    .replace(/(.)\1+/g, '$1')
  const order = given.length === numbers.length ? given : usualOrder(numbers, language, variant)
  const part = (name: string) => (order.includes(name) ? numbers[order.indexOf(name)] : undefined)
  const [day, month, year] = [part('d'), part('m'), part('y')]
  const isWrong = (value: string | undefined, most: number) =>
    value !== undefined && (Number(value) < 1 || Number(value) > most)
  if (isWrong(month, 12) || isWrong(day, 31) || order.length > numbers.length) return []
  return writtenDates(day, month, year, language, variant)
}

function usualOrder(numbers: readonly string[], language: string, variant: string | undefined): string {
  if (numbers[0]!.length === 4) return 'ymd'.slice(0, numbers.length)
  if (EAST_ASIAN.has(language)) return numbers.length < 3 ? 'md' : numbers[2]!.length === 4 ? 'mdy' : 'ymd'
  const order = language === 'English' && variant !== 'GB' ? 'mdy' : 'dmy'
  return numbers.length === 2 ? order.slice(0, 2) : order
}

function writtenDates(
  day: string | undefined,
  month: string | undefined,
  written: string | undefined,
  language: string,
  variant: string | undefined,
): string[] {
  const year = written !== undefined && written.length < 3 ? centuryOf(Number(written)) : Number(written ?? 2000)
  const isOrdinal = language === 'English' || language === 'German' || (language === 'French' && Number(day) === 1)
  if (day !== undefined && month === undefined && isOrdinal) return ordinals(String(Number(day)), language, {})
  if (day !== undefined && month !== undefined && written !== undefined && year > 999)
    return [[year, month.padStart(2, '0'), day.padStart(2, '0')].join(language === 'English' ? '/' : '-')]
  const at = new Date(0)
  at.setUTCFullYear(year, Number(month ?? 1) - 1, Number(day ?? 1))
  const locale = variant === 'GB' ? 'en-GB' : LOCALES[language]
  const said = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    ...(day !== undefined && { day: 'numeric' }),
    ...(month !== undefined && { month: 'long' }),
    ...(written !== undefined && { year: 'numeric' }),
  }).format(at)
  const isMonthOfYear = day === undefined && month !== undefined && written !== undefined
  return [...(isMonthOfYear ? [`${year}-${month.padStart(2, '0')}`] : []), said]
}

const centuryOf = (year: number): number => year + (year < CENTURY_TURNS ? 2000 : 1900)

/** "14:30", "1430", "2:30 pm", and "14" with the format `h`. */
function times(text: string, language: string): string[] {
  const [, hour = '', minute = '00', second, half] =
    /^(\d{1,2})(?:[:.hH]?(\d\d)(?:[:.](\d\d))?)?\s?([AaPp]\.?[Mm]\.?)?$/.exec(text) ?? []
  if (hour === '') return [text]
  const rest = `${minute}${second === undefined ? '' : `:${second}`}`
  const clock = `${hour}:${rest}`
  if (half === undefined) return [clock]
  const turn = (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
  const inWords = `${clock} ${half.replaceAll('.', '').toUpperCase()}`
  return language === 'English' ? [inWords] : [inWords, `${turn}:${rest}`]
}

/** "1'21"" and "1:21:05": a length of time. */
function duration(text: string, reader: Reader): string | null {
  const { language, options } = reader
  const numbers = text.match(/\d{1,6}/g) ?? []
  const named = (options.format ?? '').toLowerCase().replace(/[^hms]/g, '')
  const units = named.replace(/(.)\1+/g, '$1')
  const usual = numbers.length === 3 ? 'hms' : /^\d+\s?["”″]$/.test(text) ? 's' : 'ms'
  const order = units.length === numbers.length ? units : usual.slice(0, numbers.length)
  if (numbers.length === 0 || order.length !== numbers.length || /[\p{L}.,]/u.test(text)) return null
  const said = numbers.map((number, index) =>
    whole(`${Number(number)} ${(UNITS[language] ?? USUAL_UNITS)[order[index] as Unit]}`, ['measure'], {
      ...reader,
      options: {},
    }),
  )
  return said.includes(null) ? null : said.join(EAST_ASIAN.has(language) && language !== 'Korean' ? '' : ' ')
}

type Unit = 'h' | 'm' | 's'
const USUAL_UNITS: Readonly<Record<Unit, string>> = { h: 'h', m: 'min', s: 's' }
const UNITS: Readonly<Record<string, typeof USUAL_UNITS>> = {
  English: { h: 'hr', m: 'min', s: 'sec' },
  Russian: { h: 'ч', m: 'мин', s: 'с' },
}

/** "42.01" with the format `USD`, or with its sign. */
function amounts(text: string, _language: string, { format = '' }: ReadAsOptions): string[] {
  const code = /^[A-Za-z]{3}$/.test(format) ? format.toUpperCase() : ''
  return code === '' ? [text] : [`${code} ${text}`, `${text} ${code}`, text]
}
