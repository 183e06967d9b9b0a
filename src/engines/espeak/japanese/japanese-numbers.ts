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

const DAYS = {
  2: 'フツカ',
  3: 'ミッカ',
  4: 'ヨッカ',
  5: 'イツカ',
  6: 'ムイカ',
  7: 'ナノカ',
  8: 'ヨーカ',
  9: 'ココノカ',
  10: 'トーカ',
  14: 'ジューヨッカ',
  17: 'ジューシチニチ',
  19: 'ジュークニチ',
  20: 'ハツカ',
  24: 'ニジューヨッカ',
  27: 'ニジューシチニチ',
  29: 'ニジュークニチ',
  数: 'スージツ',
}
const THINGS = ['ヒトツ', 'フタツ', 'ミッツ', 'ヨッツ', 'イツツ', 'ムッツ', 'ナナツ', 'ヤッツ', 'ココノツ']

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['日', DAYS],
  ['日間', Object.fromEntries(Object.entries(DAYS).map(([number, day]) => [number, `${day}カン`]))],
  ['人', { 1: 'ヒトリ', 2: 'フタリ' }],
  ['人組', { 2: 'フタリグミ' }],
  ['つ', Object.fromEntries(THINGS.map((thing, at) => [at + 1, thing]))],
  ['時', { 0: 'レイジ' }],
  ['度', { 0: 'レイド' }],
])
const READINGS: Words = { 月: 'ガツ', 円: 'エン', 石: 'コク', 棟: 'トー', 箱: 'ハコ', 行: 'ギョー' }
const LAST_DIGITS: readonly (readonly [RegExp, Words])[] = [
  [/^月$/u, { 4: 'シ', 7: 'シチ', 9: 'ク' }],
  [/^時/u, { 4: 'ヨ', 7: 'シチ', 9: 'ク' }],
  [/^[人年円畳字]/u, { 4: 'ヨ' }],
]
/** Native words: one is ヒト, two フタ. */
const NATIVE = new Set(
  '箱 袋 皿 桁 部屋 晩 切れ 粒 口 株 通り 束 坪 筋 玉 鉢 房 柱 針 樽 包み 揃い 重ね 振り'.split(' '),
)
/** 3年1組 is イチクミ. */
const UNCHANGED = /^組/u
/** Voiced after サン, セン, マン and ナン. */
const VOICED = /^[本匹疋杯票俵遍羽階軒足石]/u
const MORE = new Set(['月', 'つ', '円', '世紀', '種類', '店舗', '部屋', '服'])

const ROWS: readonly (readonly [RegExp, RegExp])[] = [
  [/^[カキクケコハヒフヘホ]/u, /(?:イチ|ロク|ハチ|ジュー|[ヒビピ]ャク)$/u],
  [/^[サシスセソタチツテト]/u, /(?:イチ|ハチ|ジュー)$/u],
]
/** Before loanwords: ジュッキロ, ヒャッキロ, but イチキロ. */
const LOAN_ROWS: readonly (readonly [RegExp, RegExp])[] = [
  [/^[カキクケコ]/u, /(?:ロク|ジュー|[ヒビピ]ャク)$/u],
  [/^[サシスセソタチツテトパピプペポ]/u, /ジュー$/u],
]
const LOANWORD = /^(?!センチ)[ァ-ヺー]+$/u
const NATIVE_ENDS = /ジュー$/u
const NEVER = /$^/u
const NASAL = /(?:サン|[セゼ]ン|マン|ナン)$/u
const VOICED_KANA: Words = { ホ: 'ボ', ヒ: 'ビ', ハ: 'バ', ワ: 'バ', カ: 'ガ', ケ: 'ゲ', コ: 'ゴ', ソ: 'ゾ', ヘ: 'ベ' }
const PLOSIVES: Words = { ホ: 'ポ', ヒ: 'ピ', ハ: 'パ', フ: 'プ', ヘ: 'ペ' }
const MOST_DIGITS = 20

const DIGITS: ReadonlyMap<string, string> = new Map(
  Array.from('〇0零0○0◯0一1二2三3四4五5六6七7八8九9'.matchAll(/(.)(.)/gu), ([, one, digit]) => [one!, digit!]),
)
const UNIT_POWERS = new Map([...'十百千'].map((unit, at) => [unit, at + 1]))
const MYRIAD_POWERS = new Map([...'万億兆京'].map((unit, at) => [unit, 4 * (at + 1)]))
/** "Some" and "how many" stand for a digit. */
const UNNAMED = /^[数何幾]$/u
const NOTHING: Places = { digits: '', room: Number.POSITIVE_INFINITY }

type Words = Readonly<Record<string, string>>

/** `1,234.5`, `万`, `三`, `数`. `taken` counts words. */
export interface Piece {
  readonly text: string
  readonly taken: number
}

/** The last `room` digits are free. */
interface Places {
  readonly digits: string
  readonly room: number
}

interface Written {
  /** Ends with 万, 億, 兆 or 京. */
  readonly total: Places
  /** Ends with 十, 百 or 千. */
  readonly section: Places
  /** `isSpelled` for single kanji digits. */
  readonly rest: string
  readonly isSpelled: boolean
  /** Not read place by place: `3.5万`. */
  readonly unplaced?: string
}

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
const shorten = (read: string, ends = /(?:イチ|ハチ|ジュー)$/u): string =>
  read.replace(ends, (end) => `${end.slice(0, -1)}ッ`)

export const isCounter = (word: string): boolean => MORE.has(word)

/** Reads `3`, `本` as サンボン; `reading` is the counter's own. Pure. */
export function readCounted(digits: string, counter: string, reading: string): string {
  const word = WORDS.get(counter)?.[digits]
  if (word !== undefined) return word
  const own = READINGS[counter] ?? reading
  if (NATIVE.has(counter) && /^[12]$/.test(digits)) return `${digits === '1' ? 'ヒト' : 'フタ'}${own}`
  const number = readBefore(counter, digits)
  const short = shorten(number, endsBefore(counter, own))
  return `${short}${after(number, short !== number, counter, own)}`
}

/** 14円 is ジューヨエン. */
function readBefore(counter: string, digits: string): string {
  const last = LAST_DIGITS.find(([counters]) => counters.test(counter))?.[1][digits.at(-1)!]
  if (last === undefined || digits.includes('.')) return readNumber(digits)
  const tens = `${digits.slice(0, -1)}0`
  return `${/^0+$/.test(tens) ? '' : readNumber(tens)}${last}`
}

function endsBefore(counter: string, reading: string): RegExp {
  if (NATIVE.has(counter)) return NATIVE_ENDS
  if (UNCHANGED.test(counter)) return NEVER
  const rows = LOANWORD.test(counter) ? LOAN_ROWS : ROWS
  return rows.find(([row]) => row.test(reading))?.[1] ?? NEVER
}

/** サンボン, イッポン; サンプン, ヨンプン; but ジュッヘヤ. */
function after(number: string, isShort: boolean, counter: string, reading: string): string {
  const first = reading[0] ?? ''
  const changed = (kana: Words) => `${kana[first] ?? first}${reading.slice(1)}`
  if (isShort) return counter === '部屋' ? reading : changed(PLOSIVES)
  if (NATIVE.has(counter) || LOANWORD.test(counter)) return reading
  if (VOICED.test(counter)) return NASAL.test(number) ? changed(VOICED_KANA) : reading
  return number.endsWith('ン') ? changed(PLOSIVES) : reading
}

export const isNumeral = (word: string): boolean =>
  DIGITS.has(word) || UNIT_POWERS.has(word) || MYRIAD_POWERS.has(word) || UNNAMED.test(word)

/** Reads the number at the start or returns null: `2億3000万` is 230000000, `数千` is 数000. Pure. */
export function joinNumber(pieces: Iterable<Piece>): { digits: string; taken: number } | null {
  let number: Written = { total: NOTHING, section: NOTHING, rest: '', isSpelled: false }
  let taken = 0
  for (const { text, taken: more } of pieces) {
    const longer = withPiece(number, text)
    // 二三十 is "twenty or thirty": 二, then 三十.
    if (longer === null && UNIT_POWERS.has(text) && isPair(number)) return { digits: number.rest[0]!, taken: taken - 1 }
    if (longer === null) break
    number = longer
    taken += more
  }
  return taken === 0 ? null : { digits: digitsOf(number)!, taken }
}

const isPair = (number: Written): boolean =>
  number.isSpelled && number.rest.length === 2 && digitsOf(number) === number.rest

function withPiece(number: Written, text: string): Written | null {
  const one = DIGITS.get(text)
  const [unit, myriad] = [UNIT_POWERS.get(text), MYRIAD_POWERS.get(text)]
  if (number.unplaced !== undefined)
    return unit === undefined && myriad === undefined ? null : { ...number, unplaced: `${number.unplaced}${text}` }
  if (unit !== undefined) return withUnit(number, text, unit)
  if (myriad !== undefined) return withMyriad(number, text, myriad)
  if (UNNAMED.test(text)) return ifItFits(withUnnamed(number, text))
  return ifItFits(one === undefined ? withDigits(number, text.replaceAll(',', '')) : withOne(number, one))
}

const ifItFits = (number: Written | null): Written | null =>
  number === null || digitsOf(number) === null ? null : number

const withOne = (number: Written, one: string): Written | null =>
  number.rest === '' || number.isSpelled ? { ...number, rest: `${number.rest}${one}`, isSpelled: true } : null

function withDigits(number: Written, digits: string): Written | null {
  if (number.rest !== '') return null
  if (!digits.includes('.')) return { ...number, rest: digits, isSpelled: false }
  return digitsOf(number) === '' ? { ...number, unplaced: digits } : null
}

/** 20数 has two digits; 5数 is no number. */
function withUnnamed(number: Written, text: string): Written | null {
  const { section, rest } = number
  if (rest === '') return { ...number, rest: text, isSpelled: false }
  const free = /^\d+?(0*)$/.exec(rest)?.[1]?.length ?? 0
  const digits = free === 0 ? null : put(section, rest)
  return digits === null ? null : { ...number, section: { digits, room: free }, rest: text, isSpelled: false }
}

function withUnit(number: Written, text: string, zeros: number): Written | null {
  const { total, section, rest, isSpelled } = number
  if (isSpelled && rest.length > 1) return null
  const value = `${rest.replace(/^0+(?=.)/, '') || '1'}${'0'.repeat(zeros)}`
  if (digitsOf(number) === rest && !isPlaced(value)) return { ...number, unplaced: `${rest}${text}` }
  const digits = put(section, value)
  return digits === null ? null : { total, section: { digits, room: zeros }, rest: '', isSpelled: false }
}

/** 万 alone is a word. */
function withMyriad(number: Written, text: string, zeros: number): Written | null {
  const before = put(number.section, number.rest)?.replace(/^0+(?=.)/, '') ?? ''
  if (before === '') return null
  const value = `${before}${'0'.repeat(zeros)}`
  if (number.total.digits === '' && !isPlaced(value)) return { ...number, unplaced: `${before}${text}` }
  const digits = put(number.total, value)
  const section = { digits: '', room: zeros }
  return digits === null ? null : { total: { digits, room: zeros }, section, rest: '', isSpelled: false }
}

const isPlaced = (value: string): boolean => value.length <= MOST_DIGITS && !value.startsWith('0')

const digitsOf = ({ total, section, rest, unplaced }: Written): string | null => {
  const last = put(section, rest)
  return unplaced ?? (last === null ? null : put(total, last))
}

const put = ({ digits, room }: Places, last: string): string | null =>
  last.length > room ? null : `${digits.slice(0, digits.length - last.length)}${last}`
