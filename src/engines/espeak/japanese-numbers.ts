/** Index = digit. */
const DIGITS = ['', 'イチ', 'ニ', 'サン', 'ヨン', 'ゴ', 'ロク', 'ナナ', 'ハチ', 'キュー'] as const
const HUNDREDS = [
  '',
  'ヒャク',
  'ニヒャク',
  'サンビャク',
  'ヨンヒャク',
  'ゴヒャク',
  'ロッピャク',
  'ナナヒャク',
  'ハッピャク',
  'キューヒャク',
] as const
const THOUSANDS = [
  '',
  'セン',
  'ニセン',
  'サンゼン',
  'ヨンセン',
  'ゴセン',
  'ロクセン',
  'ナナセン',
  'ハッセン',
  'キューセン',
] as const
/** Every four digits. */
const MYRIADS = ['', 'マン', 'オク', 'チョー', 'ケー'] as const
const MOST_DIGITS = MYRIADS.length * 4
const ZERO = 'ゼロ'

const KANJI_DIGITS = '〇一二三四五六七八九'
const KANJI_UNITS: Readonly<Record<string, bigint>> = { 十: 10n, 百: 100n, 千: 1000n }
const KANJI_MYRIADS: Readonly<Record<string, bigint>> = { 万: 10n ** 4n, 億: 10n ** 8n, 兆: 10n ** 12n }

/**
 * How a number is read, in katakana: `1,234` as a quantity, `0123` and what is too long for one digit by digit, a decimal part after
 * テン. `written` holds ASCII digits with commas and at most one point. Pure.
 */
export function readNumber(written: string): string {
  const [whole = '', decimals] = written.replaceAll(',', '').split('.')
  const isQuantity = whole.length <= MOST_DIGITS && (whole === '0' || !whole.startsWith('0'))
  const read = isQuantity ? readQuantity(whole) : readDigits(whole)
  return decimals === undefined ? read : `${read}テン${readDigits(decimals)}`
}

/** The digits of a number that is written in kanji, or null where that is none. Pure. */
export function kanjiToDigits(written: string): string | null {
  if (/^[〇零一二三四五六七八九]{2,}$/u.test(written)) return [...written].map(digitOf).join('')
  if (!/^[〇零一二三四五六七八九十百千万億兆]+$/u.test(written)) return null
  let [total, group, digit] = [0n, 0n, 0n]
  for (const character of written) {
    const unit = KANJI_UNITS[character]
    const myriad = KANJI_MYRIADS[character]
    if (unit !== undefined) [group, digit] = [group + (digit || 1n) * unit, 0n]
    else if (myriad !== undefined) [total, group, digit] = [total + (group + digit || 1n) * myriad, 0n, 0n]
    else digit = digitOf(character)
  }
  return String(total + group + digit)
}

const digitOf = (character: string): bigint => BigInt(character === '零' ? 0 : KANJI_DIGITS.indexOf(character))

const readDigits = (digits: string): string => [...digits].map((digit) => DIGITS[Number(digit)] || ZERO).join('')

function readQuantity(digits: string): string {
  if (digits === '0') return ZERO
  const groups = digits.padStart(MOST_DIGITS, '0').match(/.{4}/g) ?? []
  return groups.map((group, at) => readGroup(group, MYRIADS[groups.length - 1 - at] ?? '')).join('')
}

function readGroup(group: string, myriad: string): string {
  const [thousands = 0, hundreds = 0, tens = 0, ones = 0] = [...group].map(Number)
  const ten = tens === 0 ? '' : `${tens === 1 ? '' : DIGITS[tens]}ジュー`
  const thousand = thousands === 1 && myriad !== '' ? 'イッセン' : THOUSANDS[thousands]
  const read = `${thousand}${HUNDREDS[hundreds]}${ten}${DIGITS[ones]}`
  if (read === '') return ''
  return myriad === 'チョー' || myriad === 'ケー' ? `${shorten(read)}${myriad}` : `${read}${myriad}`
}

/** Before k, s, t and h the last syllable of some numbers becomes a stop: イチ + カイ is イッカイ. */
export const shorten = (read: string, alsoSix = false): string =>
  read.replace(alsoSix ? /(イチ|ロク|ハチ|ジュー|ヒャク)$/u : /(イチ|ハチ|ジュー)$/u, (end) => SHORT[end] ?? end)

const SHORT: Readonly<Record<string, string>> = {
  イチ: 'イッ',
  ロク: 'ロッ',
  ハチ: 'ハッ',
  ジュー: 'ジュッ',
  ヒャク: 'ヒャッ',
}
