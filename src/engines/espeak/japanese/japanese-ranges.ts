const NUMBER = String.raw`[\p{N}\p{Sc}%％℃]`
const UNIT = String.raw`\p{N}[時分秒日月年円歳才階](?:間|半)?`
const LATIN = String.raw`[\p{Script=Latin}]`
const HAN = String.raw`(?![超大激])[\p{Script=Han}々]\p{M}*`
const KATAKANA = String.raw`[\p{Script=Katakana}ー]`
const CLOSED = '[」』）)]'
const WORD = String.raw`[\p{Script=Han}\p{Script=Katakana}\p{Script=Latin}「『]`
const FIGURE = String.raw`[\p{N}\p{Sc}]`
const RANGE_SIGN = /^[〜~]$/u
const BETWEEN = /^[\s「『」』]$/u
const MOST_TEXT_AROUND = 40
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

/** `pronunciation` is katakana with long vowels; absent for unknown words. */
export interface Token {
  readonly surface: string
  readonly pronunciation?: string
  readonly partOfSpeech: string
  readonly partOfSpeechSubcategory1: string
  readonly partOfSpeechSubcategory2: string
}

const either = (...pairs: (readonly [string, string])[]): readonly (readonly [RegExp, RegExp])[] =>
  pairs.flatMap(([from, to]) =>
    ['', String.raw`\s`].map(
      (space) => [new RegExp(`${from}${space}$`, 'u'), new RegExp(`^${space}${to}`, 'u')] as const,
    ),
  )

/** A single kana beside the sign is lengthened: ラ〜メン. */
const WAVE = either(
  [NUMBER, `(?:${FIGURE}|${WORD}|[（(])`],
  [UNIT, `(?:${FIGURE}|${WORD})`],
  [LATIN, String.raw`[\p{N}\p{Sc}\p{Script=Han}\p{Script=Latin}「『]`],
  [CLOSED, `(?:${FIGURE}|${WORD}|[（(])`],
  [HAN, `(?:${FIGURE}|${LATIN})`],
  [`${KATAKANA}{2}`, FIGURE],
)
const TILDE = either([String.raw`\p{N}`, String.raw`[\p{Script=Han}\p{N}]`], [HAN, String.raw`\p{N}`], [UNIT, HAN])
/** 〜夏の日〜 is a subtitle. */
const OPENS = /^[^〜～~、。！？!?\n]{1,40}[〜～](?!\s?[\p{L}\p{N}\p{Sc}「『（(])/u
const CLOSES = /(?:^|[\s、。！？!?「『（(])[〜～][^〜～~\s、。！？!?]{1,40}$/u
const SIGN = /[〜～~]/g
const MOST_AROUND = 44

/** UTF-16 positions of signs read as "from": 9時～17時, A〜Z. Pure. */
export function rangesIn(text: string): ReadonlySet<number> {
  const ranges = new Set<number>()
  for (const { 0: sign, index } of text.matchAll(SIGN)) {
    const before = text.slice(Math.max(0, index - MOST_AROUND), index)
    const behind = text.slice(index + 1, index + 1 + MOST_AROUND)
    const isBetween = (sign === '~' ? TILDE : WAVE).some(([from, to]) => from.test(before) && to.test(behind))
    if (isBetween && !isOfSubtitle(before, behind)) ranges.add(index)
  }
  return ranges
}

/** Tells whether a sign opens or closes a subtitle. Pure. */
const isOfSubtitle = (before: string, behind: string): boolean => OPENS.test(behind) || CLOSES.test(before)

/** Reads the words of ranges such as 東京〜大阪 and 月〜金; undefined for other words. Pure. */
export function readInRange(tokens: readonly Token[], at: number): string | undefined {
  const surface = tokens[at]?.surface ?? ''
  if (RANGE_SIGN.test(surface)) return isRange(tokens, at) ? 'カラ' : undefined
  const weekday = WEEKDAYS[surface]
  if (weekday === undefined) return undefined
  const isNamed = [at - 1, at + 1].some(
    (next) => RANGE_SIGN.test(tokens[next]?.surface ?? '') && isOfWeekdays(tokens, next),
  )
  return isNamed ? weekday : undefined
}

function isRange(tokens: readonly Token[], at: number): boolean {
  if (isOfWeekdays(tokens, at)) return true
  const [from, to] = [kindOf(tokens, wordFrom(tokens, at, -1)), kindOf(tokens, wordFrom(tokens, at, 1))]
  if (from === null || to === null || !belong(from, to)) return false
  return !isOfSubtitle(
    textOf(tokens.slice(Math.max(0, at - MOST_TEXT_AROUND), at)),
    textOf(tokens.slice(at + 1, at + 1 + MOST_TEXT_AROUND)),
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
