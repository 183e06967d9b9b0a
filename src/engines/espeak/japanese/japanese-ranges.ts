const NUMBER = String.raw`[\p{N}\p{Sc}%％℃]`
const UNIT = String.raw`\p{N}[時分秒日月年円歳才階](?:間|半)?`
const LATIN = String.raw`[\p{Script=Latin}]`
const HAN = String.raw`(?![超大激])[\p{Script=Han}々]\p{M}*`
const KATAKANA = String.raw`[\p{Script=Katakana}ー]`
const CLOSED = '[」』）)]'
const WORD = String.raw`[\p{Script=Han}\p{Script=Katakana}\p{Script=Latin}「『]`
const FIGURE = String.raw`[\p{N}\p{Sc}]`

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
export const isOfSubtitle = (before: string, behind: string): boolean => OPENS.test(behind) || CLOSES.test(before)
