import { readNumber, shorten } from './japanese-numbers.ts'

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

type Words = Readonly<Record<string, string>>

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
