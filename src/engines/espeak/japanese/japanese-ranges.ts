/** What a range goes from and to, next to its sign. */
const FROM = String.raw`[\p{Script=Han}\p{N}\p{Script=Latin}\p{Sc}\p{M}%％℃々」』）)]`
const TO = String.raw`[\p{Script=Han}\p{N}\p{Script=Latin}\p{Sc}「『（(]`
const KATAKANA = String.raw`[\p{Script=Katakana}ー]`
const PLAIN = String.raw`[\p{Script=Han}\p{N}]`

const either = (...pairs: (readonly [string, string])[]): readonly (readonly [RegExp, RegExp])[] =>
  pairs.flatMap(([from, to]) =>
    ['', String.raw`\s`].map(
      (space) => [new RegExp(`${from}${space}$`, 'u'), new RegExp(`^${space}${to}`, 'u')] as const,
    ),
  )

/** One kana before the sign or behind it is a vowel that it lengthens: ラ〜メン. */
const WAVE = either([FROM, TO], [FROM, KATAKANA], [KATAKANA, TO], [`${KATAKANA}{2}`, `${KATAKANA}{2}`])
const TILDE = either([PLAIN, PLAIN])
/** A subtitle stands between two of them: 〜夏の日〜. */
const SUBTITLE = /^[^〜～~、。！？!?\n]{1,40}[〜～](?!\s?[\p{L}\p{N}\p{Sc}「『（(])/u
const SIGN = /[〜～~]/g
const MOST_BEFORE = 5
const MOST_BEHIND = 44

/** Where in a text in Japanese, in UTF-16 units, a sign is said "from": 東京〜大阪, 9時～17時. Pure. */
export function rangesIn(text: string): ReadonlySet<number> {
  const ranges = new Set<number>()
  for (const { 0: sign, index } of text.matchAll(SIGN)) {
    const before = text.slice(Math.max(0, index - MOST_BEFORE), index)
    const behind = text.slice(index + 1, index + 1 + MOST_BEHIND)
    const isBetween = (sign === '~' ? TILDE : WAVE).some(([from, to]) => from.test(before) && to.test(behind))
    if (isBetween && !SUBTITLE.test(behind)) ranges.add(index)
  }
  return ranges
}
