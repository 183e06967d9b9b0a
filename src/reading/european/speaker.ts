import { LARGEST_SPELLED, QUADRILLION } from '../number-rules.ts'
import { pluralOf } from './plurals.ts'
import type { Counted, Gender, Words } from './words.ts'

/** Says written numbers in the words of a language. */
export interface Speaker {
  readonly plural: ReturnType<typeof pluralOf>
  /** Regular expressions for a number without and with decimal places. */
  readonly WHOLE: string
  readonly NUMBER: string
  plain(number: string): string
  digits(number: string): string
  whole(number: string, gender?: Gender): string
  /** With a sign and decimal places. */
  number(written: string, gender?: Gender): string
  /** The form of a thing behind a number as it is written. */
  form(written: string, counted: Counted): string
}

const QUADRILLION_DIGITS = 15
const LONGEST_SPELLED = 18
const SIGNED = /^([-−–+±]?)\s?([^,]*)(?:,(\d+))?$/

export function speakerOf(words: Words): Speaker {
  const plural = pluralOf(words.locale)
  const marks = new RegExp(`[${words.groupMarks}]`, 'g')
  const plain = (number: string): string => number.replaceAll(marks, '')
  const digits = (number: string): string =>
    Array.from(number.replaceAll(/\D/g, ''), (digit) => words.cardinal(Number(digit))).join(' ')
  const whole = (number: string, gender?: Gender): string => {
    const written = plain(number)
    const value = Number(written)
    if (value <= LARGEST_SPELLED) return words.cardinal(value, gender)
    if (written.length > LONGEST_SPELLED) return digits(number)
    const rest = Number(written.slice(-QUADRILLION_DIGITS))
    const large = words.cardinal(Number(written.slice(0, -QUADRILLION_DIGITS)) * QUADRILLION)
    return rest === 0 ? large : `${large} ${words.cardinal(rest, gender)}`
  }
  // A number that is too long for words has those of zero behind its digits.
  const decimal = (before: string, places: string): string =>
    Number(before) > LARGEST_SPELLED
      ? `${whole(before)}${words.decimal('0', places).replace(/^\S+/, '')}`
      : words.decimal(before, places)
  const number = (written: string, gender?: Gender): string => {
    const [, sign = '', before = '', places] = SIGNED.exec(withComma(written)) ?? []
    const said = places === undefined ? whole(before, gender) : decimal(plain(before) || '0', places)
    return `${signOf(words, sign)}${said}`
  }
  const form = (written: string, { forms }: Counted): string => {
    const [before = '', places] = withComma(written.replace(/^[-−–+±]\s?/, '')).split(',')
    const value = Number(`${plain(before) || '0'}${places === undefined ? '' : `.${places}`}`)
    // CLDR's category of "1,5" in Portuguese is the singular, which is not said.
    const category = places !== undefined && words.locale.startsWith('pt') ? 'other' : plural(value)
    return forms[category] ?? forms.other
  }
  return { plural, ...patterns(words), plain, digits, whole, number, form }
}

/** A period is a decimal mark as well, unless three digits follow. */
const withComma = (written: string): string => written.replace(/\.(?=\d{1,2}$|\d{4,}$)/, ',')

const signOf = ({ plus, minus }: Words, sign: string): string => {
  if (sign === '') return ''
  return sign === '+' ? `${plus} ` : sign === '±' ? `${plus} ${minus} ` : `${minus} `
}

function patterns({ groupMarks }: Words): { WHOLE: string; NUMBER: string } {
  const WHOLE = String.raw`(?:\d{1,3}(?:[${groupMarks}]\d{3}){1,7}(?!\d)|\d{1,40})`
  return { WHOLE, NUMBER: String.raw`(?:${WHOLE}(?:,\d{1,40}|\.\d{1,2}(?![\d.]))?|,\d{1,40})` }
}
