import { MOST_DIGITS } from './written-number.ts'

const ONES: Readonly<Record<string, string>> = {
  0: '',
  1: 'イチ',
  2: 'ニ',
  3: 'サン',
  4: 'ヨン',
  5: 'ゴ',
  6: 'ロク',
  7: 'ナナ',
  8: 'ハチ',
  9: 'キュー',
  数: 'スー',
  何: 'ナン',
  幾: 'イク',
}
/** Others are the digit and ヒャク. */
const HUNDREDS: Readonly<Record<string, string>> = {
  0: '',
  1: 'ヒャク',
  3: 'サンビャク',
  6: 'ロッピャク',
  8: 'ハッピャク',
  何: 'ナンビャク',
}
/** Others are the digit and セン. */
const THOUSANDS: Readonly<Record<string, string>> = { 0: '', 1: 'セン', 3: 'サンゼン', 8: 'ハッセン', 何: 'ナンゼン' }
const MYRIADS = ['', 'マン', 'オク', 'チョー', 'ケー'] as const
const UNITS: Readonly<Record<string, string>> = {
  十: 'ジュー',
  百: 'ヒャク',
  千: 'セン',
  万: 'マン',
  億: 'オク',
  兆: 'チョー',
  京: 'ケー',
}
const ZERO = 'ゼロ'

/**
 * Reads a number in katakana; `0123` and long numbers digit by digit.
 * `written` holds digits (also 数, 何, 幾), commas, at most one point, and units. Pure.
 */
export function readNumber(written: string): string {
  const [, whole = '', decimals, units = ''] =
    /^([\d数何幾]*)(?:\.(\d*))?(.*)$/u.exec(written.replaceAll(',', '')) ?? []
  const isQuantity = whole.length <= MOST_DIGITS && (whole === '0' || !whole.startsWith('0'))
  const read = isQuantity ? readQuantity(whole) : readDigits(whole)
  const number = decimals === undefined ? read : `${shorten(read)}テン${readDigits(decimals)}`
  return `${number}${Array.from(units, (unit) => UNITS[unit] ?? '').join('')}`
}

const readDigits = (digits: string): string => [...digits].map((digit) => ONES[digit] || ZERO).join('')

function readQuantity(digits: string): string {
  if (digits === '0') return ZERO
  const groups = digits.padStart(MOST_DIGITS, '0').match(/.{4}/gu) ?? []
  return groups.map((group, at) => readGroup(group, MYRIADS[groups.length - 1 - at] ?? '')).join('')
}

function readGroup(group: string, myriad: string): string {
  const [thousands = '0', hundreds = '0', tens = '0', ones = '0'] = group
  if (group === '1000' && myriad !== '') return `イッセン${myriad}`
  const thousand = THOUSANDS[thousands] ?? `${ONES[thousands]}セン`
  const hundred = HUNDREDS[hundreds] ?? `${ONES[hundreds]}ヒャク`
  const ten = tens === '0' ? '' : `${tens === '1' ? '' : ONES[tens]}ジュー`
  const read = `${thousand}${hundred}${ten}${ONES[ones]}`
  if (read === '') return ''
  return myriad === 'チョー' || myriad === 'ケー' ? `${shorten(read)}${myriad}` : `${read}${myriad}`
}

/** イチ + カイ is イッカイ. */
export const shorten = (read: string, ends = /(?:イチ|ハチ|ジュー)$/u): string =>
  read.replace(ends, (end) => `${end.slice(0, -1)}ッ`)
