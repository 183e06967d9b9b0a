import type { Token } from './dictionary-token.ts'
import { isOfSubtitle } from './japanese-ranges.ts'

const SIGN = /^[〜~]$/u
const BETWEEN = /^[\s「『」』]$/u
const MOST_AROUND = 40
const WEEKDAYS: Readonly<Record<string, string>> = {
  月: 'ゲツ',
  火: 'カ',
  水: 'スイ',
  木: 'モク',
  金: 'キン',
  土: 'ド',
  日: 'ニチ',
}
const WEEKDAY = /^[月火水木金土日](?:曜日?)?$/u
const READABLE = /^[ァ-ヺー]+$/u
const UNNAMED = /^[何数幾]$/u
/** その日 and 4月 are no weekdays. */
const BEFORE_NO_WEEKDAY = /^(?:連体詞|接頭詞|UNK)$/u

type Kind = 'place' | 'name' | 'time' | 'number'

/** Reads the words of ranges such as 東京〜大阪 and 月〜金; undefined for other words. Pure. */
export function readInRange(tokens: readonly Token[], at: number): string | undefined {
  const surface = tokens[at]?.surface ?? ''
  if (SIGN.test(surface)) return isRange(tokens, at) ? 'カラ' : undefined
  const weekday = WEEKDAYS[surface]
  if (weekday === undefined) return undefined
  const isNamed = [at - 1, at + 1].some((next) => SIGN.test(tokens[next]?.surface ?? '') && isOfWeekdays(tokens, next))
  return isNamed ? weekday : undefined
}

function isRange(tokens: readonly Token[], at: number): boolean {
  if (isOfWeekdays(tokens, at)) return true
  const [from, to] = [kindOf(tokens, wordFrom(tokens, at, -1)), kindOf(tokens, wordFrom(tokens, at, 1))]
  if (from === null || to === null || !belong(from, to)) return false
  return !isOfSubtitle(
    textOf(tokens.slice(Math.max(0, at - MOST_AROUND), at)),
    textOf(tokens.slice(at + 1, at + 1 + MOST_AROUND)),
  )
}

function isOfWeekdays(tokens: readonly Token[], at: number): boolean {
  const isWeekday = (token: Token | undefined) => WEEKDAY.test(token?.surface ?? '')
  const before = tokens[at - 2]
  const isPart = before !== undefined && (BEFORE_NO_WEEKDAY.test(before.partOfSpeech) || /\p{N}$/u.test(before.surface))
  return isWeekday(tokens[at - 1]) && isWeekday(tokens[at + 1]) && !isPart
}

const belong = (from: Kind, to: Kind): boolean =>
  from === 'number' ||
  to === 'number' ||
  (from === to && from !== 'name') ||
  /^(?:place,name|name,place)$/.test(`${from},${to}`)

function wordFrom(tokens: readonly Token[], at: number, step: 1 | -1): number {
  let next = at + step
  while (BETWEEN.test(tokens[next]?.surface ?? '')) next += step
  return next
}

function kindOf(tokens: readonly Token[], at: number): Kind | null {
  const token = tokens[at]
  if (token?.partOfSpeech !== '名詞' || !READABLE.test(token.pronunciation ?? '')) return null
  const { surface, partOfSpeechSubcategory1: kind, partOfSpeechSubcategory2: detail } = token
  if (kind === '数') return UNNAMED.test(surface) ? null : 'number'
  if (kind === '接尾') return detail === '助数詞' ? 'number' : detail === '地域' ? 'place' : null
  if ([...surface].length < 2) return null
  if (kind === '固有名詞') return detail === '地域' ? 'place' : 'name'
  return kind === '副詞可能' ? 'time' : null
}

const textOf = (tokens: readonly Token[]): string => tokens.map(({ surface }) => surface).join('')
