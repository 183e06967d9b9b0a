import { LARGEST_SPELLED, spell } from '../number-rules.ts'

const LOCALE = 'en'

const words = (ruleSet: string, value: number): string => spell(LOCALE, ruleSet, value).replaceAll('-', ' ')

/** Digit by digit. */
export const digits = (number: string): string =>
  Array.from(number.replace(/\D/g, ''), (digit) => words('spellout-cardinal', Number(digit))).join(' ')

/** @param number digits, with or without commas */
export function cardinal(number: string): string {
  const plain = number.replaceAll(/[, \u00a0\u202f]/g, '')
  const value = Number(plain)
  return value > LARGEST_SPELLED || /^0\d/.test(plain) ? digits(plain) : words('spellout-cardinal', value)
}

export function ordinal(number: string): string {
  const value = Number(number.replaceAll(',', ''))
  return value > LARGEST_SPELLED ? digits(number) : words('spellout-ordinal', value)
}

/** @param number with an optional sign, commas and a decimal point */
export function decimal(number: string): string {
  const [, sign = '', whole = '', fraction] = /^([-−–+]?)([\d,]*)(?:\.(\d+))?$/.exec(number) ?? []
  const said = whole === '' ? '' : cardinal(whole)
  const point = fraction === undefined ? '' : ` point ${digits(fraction)}`
  return `${signOf(sign)}${`${said}${point}`.trim()}`
}

export const signOf = (sign: string): string => (sign === '' ? '' : sign === '+' ? 'plus ' : 'minus ')

/** As a year is said: "nineteen oh six", "two thousand five", "twenty twelve". */
export function year(number: string): string {
  const value = Number(number)
  if (value >= 1000) return words('spellout-numbering-year', value)
  const [hundreds, rest] = [Math.floor(value / 100), value % 100]
  if (hundreds === 0) return cardinal(String(value))
  if (rest === 0) return `${cardinal(String(hundreds))} hundred`
  return `${cardinal(String(hundreds))} ${rest < 10 ? 'oh ' : ''}${cardinal(String(rest))}`
}

/** Two digits of a year: "oh five", "eighty five". */
export const shortYear = (number: string): string =>
  number === '00' ? 'hundred' : number.startsWith('0') ? `oh ${cardinal(number.slice(1))}` : cardinal(number)

const DECADES = [
  'hundreds',
  'tens',
  'twenties',
  'thirties',
  'forties',
  'fifties',
  'sixties',
  'seventies',
  'eighties',
  'nineties',
]

/** @param number ends in 0: `80`, `1980`, `800` */
export function decade(number: string): string {
  const name = DECADES[Math.floor((Number(number) % 100) / 10)] as string
  if (number.length === 2) return name
  if (number.length === 3 || number.endsWith('000')) return `${cardinal(number)}s`
  return `${cardinal(number.slice(0, -2))} ${name}`
}

/** "threes", "sixes", "twenties". */
export const plural = (words: string): string => words.replace(/x$/, 'xe').replace(/y$/, 'ie').concat('s')

/** A house number or the like: by pairs, as people say them. */
export function inPairs(number: string): string {
  if (number.length > 4) return digits(number)
  if (number.length < 3 || number.endsWith('000')) return cardinal(number)
  const [hundreds, rest] = [number.slice(0, -2), number.slice(-2)]
  if (rest === '00') return `${cardinal(hundreds)} hundred`
  if (number.length === 3) return digits(number)
  return `${cardinal(hundreds)} ${rest.startsWith('0') ? `oh ${cardinal(rest.slice(1))}` : cardinal(rest)}`
}

/** A number as a part of a name, such as "A320" or "ISO 9001": long ones digit by digit. */
export const inName = (number: string): string =>
  number.length > 4 || /^0\d/.test(number) ? digits(number) : cardinal(number)

/** "one half", "two thirds", "three over four hundred": numerator and denominator of a fraction. */
export function fraction(top: string, bottom: string): string {
  const numerator = Number(top.replaceAll(',', ''))
  const denominator = Number(bottom.replaceAll(',', ''))
  if (denominator === 1 || denominator === 0) return `${cardinal(top)} over ${cardinal(bottom)}`
  const isOne = numerator === 1
  if (denominator === 2) return `${cardinal(top)} ${isOne ? 'half' : 'halves'}`
  if (denominator === 4) return `${cardinal(top)} ${isOne ? 'quarter' : 'quarters'}`
  return `${cardinal(top)} ${ordinal(bottom)}${isOne ? '' : 's'}`
}

/** A whole number, with commas or without. */
export const WHOLE = String.raw`(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,2}(?:,\d\d){1,4},\d{3}(?!\d)|\d{1,40})`
export const NUMBER = String.raw`(?:${WHOLE}(?:\.\d{1,40})?|\.\d{1,40})`

/** "B B C": letters that are said one by one. */
export const spellOut = (letters: string): string => Array.from(letters).join(' ')
