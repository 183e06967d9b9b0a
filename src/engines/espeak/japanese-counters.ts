import { readNumber, shorten } from './japanese-numbers.ts'

/** How a number and its counter change one another. */
type Change = 'none' | 'k' | 's' | 'h' | 'p'

interface Counter {
  readonly reading: string
  readonly change: Change
  /** Numbers whose last digit is read in another way before this counter. */
  readonly digits?: Readonly<Record<string, string>>
  /** Whole numbers that are read as one word with it. */
  readonly words?: Readonly<Record<string, string>>
}

const HOURS = { 4: 'ヨ', 7: 'シチ', 9: 'ク' }
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
  20: 'ハツカ',
  24: 'ニジューヨッカ',
}
const THINGS = ['ヒトツ', 'フタツ', 'ミッツ', 'ヨッツ', 'イツツ', 'ムッツ', 'ナナツ', 'ヤッツ', 'ココノツ']

const counters = (change: Change, list: string): [string, Counter][] =>
  list.split(' ').map((entry) => {
    const [surface = '', reading = ''] = entry.split(':')
    return [surface, { reading, change }]
  })

/** Those that are not simply said after the number. */
const COUNTERS: ReadonlyMap<string, Counter> = new Map([
  ...counters(
    'k',
    '回:カイ 個:コ 階:カイ ヶ月:カゲツ か月:カゲツ カ月:カゲツ ヵ月:カゲツ ヶ国:カコク か国:カコク カ国:カコク 曲:キョク 件:ケン キロ:キロ',
  ),
  ...counters(
    's',
    '歳:サイ 才:サイ 冊:サツ 週間:シューカン 週:シュー 世紀:セーキ 頭:トー 通:ツー 丁目:チョーメ 着:チャク 点:テン 足:ソク 隻:セキ',
  ),
  ...counters('h', '本:ホン 匹:ヒキ 杯:ハイ 百:ヒャク 票:ヒョー'),
  ...counters('p', '分:フン 分間:フンカン 泊:ハク 発:ハツ'),
  ['月', { reading: 'ガツ', change: 'none', digits: { ...HOURS, 4: 'シ' } }],
  ['時', { reading: 'ジ', change: 'none', digits: HOURS }],
  ['時半', { reading: 'ジハン', change: 'none', digits: HOURS }],
  ['時間', { reading: 'ジカン', change: 'none', digits: HOURS }],
  ['年', { reading: 'ネン', change: 'none', digits: { 4: 'ヨ' } }],
  ['年間', { reading: 'ネンカン', change: 'none', digits: { 4: 'ヨ' } }],
  ['円', { reading: 'エン', change: 'none', digits: { 4: 'ヨ' } }],
  ['人', { reading: 'ニン', change: 'none', digits: { 4: 'ヨ' }, words: { 1: 'ヒトリ', 2: 'フタリ' } }],
  ['日', { reading: 'ニチ', change: 'none', words: DAYS }],
  ['日間', { reading: 'ニチカン', change: 'none', words: mapped(DAYS, (day) => `${day}カン`) }],
  ['つ', { reading: 'ツ', change: 'none', words: Object.fromEntries(THINGS.map((thing, at) => [at + 1, thing])) }],
])

/**
 * A number with its counter, in katakana: `3`, `本` is サンボン. `reading` is what a dictionary says of the counter alone; it is taken for
 * counters that change nothing. Pure.
 */
export function readCounted(digits: string, counter: string, reading: string): string {
  const known = COUNTERS.get(counter)
  if (known === undefined) return `${readNumber(digits)}${reading}`
  const word = known.words?.[digits]
  if (word !== undefined) return word
  const last = /[.,]/u.test(digits) && digits.includes('.') ? undefined : known.digits?.[digits.at(-1) ?? '']
  const number = last === undefined ? readNumber(digits) : `${readTens(digits)}${last}`
  return `${before(number, known.change)}${after(number, known)}`
}

/** A number without its last digit. */
function readTens(digits: string): string {
  const tens = `${digits.replaceAll(',', '').slice(0, -1)}0`
  return Number(tens) === 0 ? '' : readNumber(tens)
}

const before = (number: string, change: Change): string =>
  change === 'none' ? number : shorten(number, change !== 's')

const VOICED: Readonly<Record<string, string>> = { ホ: 'ボ', ヒ: 'ビ', ハ: 'バ', フ: 'ブ' }
const PLOSIVE: Readonly<Record<string, string>> = { ホ: 'ポ', ヒ: 'ピ', ハ: 'パ', フ: 'プ' }

/** サンボン, イッポン; サンプン, ヨンプン. */
function after(number: string, { reading, change }: Counter): string {
  if (change !== 'h' && change !== 'p') return reading
  const first = reading[0] ?? ''
  const rest = reading.slice(1)
  if (before(number, change) !== number) return `${PLOSIVE[first] ?? first}${rest}`
  if (change === 'p' && /(?:サン|ヨン)$/u.test(number)) return `${PLOSIVE[first] ?? first}${rest}`
  return change === 'h' && number.endsWith('サン') ? `${VOICED[first] ?? first}${rest}` : reading
}

function mapped(words: Readonly<Record<string, string>>, change: (word: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([number, word]) => [number, change(word)]))
}
