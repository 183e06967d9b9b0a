import { DASH, END, isSignFree, oneOf, rule, signed, wordRule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { COUNTED_AFTER } from './counts.ts'
import { cardinal, decimal, NUMBER, signOf, WHOLE } from './numbers.ts'
import { CURRENCIES, CURRENCY_CODES, type Currency, MAGNITUDES, PER_UNITS, WORD_MAGNITUDES } from './words.ts'

const SIGN = `[${Object.keys(CURRENCIES)
  .filter((sign) => sign.length === 1)
  .join('')}]`
/** Letters that may be a currency. {@link CURRENCY_CODES} says which are: a pattern of all codes compiles slowly. */
const CODE = '[A-Z]{3}'
const BEHIND_NUMBER = new Set([
  ...Object.keys(CURRENCY_CODES),
  ...Object.keys(MAGNITUDES),
  ...WORD_MAGNITUDES.flatMap((word) => [word, `${word}s`]),
])
const SHORT = `(?:${oneOf(Object.keys(MAGNITUDES))})${END}`
const MAGNITUDE = String.raw`(?:[ -]?(?<magnitude>(?:${WORD_MAGNITUDES.join('|')})s?(?!\p{L})|${SHORT}))?`
const PER = String.raw`(?: ?\/ ?(?<per>${oneOf(Object.keys(PER_UNITS))})${END})?`
const LETTER_SIGN = String.raw`U\.S\.\$|US ?\$|CAD\$|Can\$|CA?\$|AU?\$|NZ\$|HK\$|NT\$|S\$|R\$|Rs\.?`

export const money = (): Rule[] => [...signAmounts(), ...codeAmounts()]

const signAmounts = (): Rule[] => [
  rule(
    'range',
    'symbol',
    `(?<sign>${SIGN}) ?(?<from>${NUMBER})(?: ?(?<m1>${SHORT}))? ?${DASH} ?(?<sign2>[A-Z]{0,3}${SIGN})? ?(?<to>${NUMBER})${MAGNITUDE}${PER}`,
    readRange,
  ),
  rule(
    'money',
    'symbol',
    String.raw`(?<minus>[-−–])?(?<sign>${SIGN}) ?(?<number>${NUMBER})(?![\d.]\d)${MAGNITUDE}(?<plus>\+(?!\p{L}))?${PER}`,
    readAmount,
  ),
  wordRule(
    'money',
    Array.from('UCANHSR'),
    `(?<sign>${LETTER_SIGN}) ?(?<number>${NUMBER})${MAGNITUDE}${PER}`,
    readAmount,
  ),
]

const codeAmounts = (): Rule[] => [
  rule(
    'money',
    'letter',
    `(?<code>${CODE}) ?(?<number>${NUMBER})${MAGNITUDE}`,
    ({ code = '', number = '', magnitude }) => {
      const currency = CURRENCY_CODES[code]
      return currency === undefined ? null : amountOf(number, currency, magnitude)
    },
  ),
  ...signed(
    'money',
    `(?<minus>[-−–])?(?<number>${NUMBER})${MAGNITUDE} ?(?<code>${CODE}|[€£₽₩₹₺¥])${END}`,
    ({ minus, number = '', magnitude, code = '' }, around) => {
      const currency = CURRENCY_CODES[code] ?? CURRENCIES[code]
      return currency !== undefined && isSignFree(minus, around)
        ? `${signOf(minus ?? '')}${amountOf(number, currency, magnitude)}`
        : null
    },
  ).map((one) => (one.starts === 'digit' ? { ...one, wordsBehind: BEHIND_NUMBER } : one)),
  rule(
    'money',
    'digit',
    `(?<number>${WHOLE}) ?¢`,
    ({ number = '' }) => `${cardinal(number)} ${number === '1' ? 'cent' : 'cents'}`,
  ),
  // "3bn", "1.5m copies".
  rule(
    'cardinal',
    'digit',
    `(?<number>${NUMBER}) ?(?<magnitude>bn|mn|mln|trn|[mMkK])${END}`,
    ({ number = '', magnitude = '' }, { after }) =>
      magnitude.length > 1 || COUNTED_AFTER.test(after) ? `${decimal(number)} ${magnitudeOf(magnitude)}` : null,
  ),
]

const perOf = (per: string | undefined): string => (per === undefined ? '' : ` per ${PER_UNITS[per]}`)
const magnitudeOf = (written: string): string => MAGNITUDES[written] ?? written

const readAmount: Read = ({ minus, sign = '', number = '', magnitude, per, plus }, around, match) => {
  const currency = CURRENCIES[sign]
  if (currency === undefined || !isSignFree(minus, around)) return null
  // A "$5 million deal" and a "$20-a-day" wage are said with "dollar".
  const isAdjective = /^-\p{L}/u.test(around.after) || (/\d-\p{L}/u.test(match) && /^ \p{Ll}/u.test(around.after))
  const counted = isAdjective && !number.includes('.') ? { ...currency, many: currency.one } : currency
  return `${minus === undefined ? '' : 'minus '}${amountOf(number, counted, magnitude)}${plus === undefined ? '' : ' plus'}${perOf(per)}`
}

/** "$5–7 million", "$5m-$7m". */
function readRange({ sign = '', from = '', m1, sign2, to = '', magnitude, per }: Parameters<Read>[0]): string {
  const currency = CURRENCIES[sign] as Currency
  const isShared = sign2 === undefined || (magnitude !== undefined && m1 === undefined)
  const first = isShared
    ? `${decimal(from)}${m1 === undefined ? '' : ` ${magnitudeOf(m1)}`}`
    : amountOf(from, currency, m1)
  return `${first} to ${amountOf(to, currency, magnitude)}${perOf(per)}`
}

function amountOf(number: string, { one, many, part }: Currency, magnitude: string | undefined): string {
  if (magnitude !== undefined) return `${decimal(number)} ${magnitudeOf(magnitude)} ${many}`
  const [whole = '', places = ''] = number.split('.')
  const value = Number(whole.replaceAll(',', ''))
  const units = `${cardinal(whole === '' ? '0' : whole)} ${value === 1 ? one : many}`
  if (/^0*$/.test(places)) return units
  if (part === undefined || Number(places.slice(2)) > 0) return `${decimal(number)} ${many}`
  const hundredths = Number(places.slice(0, 2).padEnd(2, '0'))
  const small = `${cardinal(String(hundredths))} ${hundredths === 1 ? part.one : part.many}`
  return value === 0 ? small : `${units} ${small}`
}
