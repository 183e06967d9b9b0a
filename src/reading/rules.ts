import { Pattern } from './pattern.ts'
import {
  type Around,
  LONGEST_PREFIX,
  type Read,
  type Rule,
  type RuleAnswer,
  type Start,
  type TokenKind,
} from './scan.ts'

/** Nothing of a word or number follows. */
export const END = String.raw`(?![\p{L}\p{N}])`
/** The period of an abbreviation, unless it ends the sentence too. */
export const ABBREVIATED = String.raw`(?:\.(?!['"”’»)\]]*(?:\s*$|\s+['"“‘«(¿¡]?\p{Lu})))?`
/** A pattern that matches nothing. */
export const NEVER = '(?!)'
export const DASH = '[-–—−]'
export const VULGAR_FRACTIONS = '½⅓⅔¼¾⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚⅐⅑⅒'
export const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
export const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'

export const rule = (kind: TokenKind, starts: Start, pattern: string, read: Read, flags = ''): Rule => ({
  kind,
  starts,
  pattern: new Pattern(pattern, `yu${flags}`),
  read,
})

/** A rule over words of a list, tried only at their first letters. */
export const wordRule = (kind: TokenKind, words: readonly string[], pattern: string, read: Read): Rule => ({
  ...rule(kind, 'letter', pattern, read),
  first: words.map((word) => word[0] ?? '').join(''),
})

/** A rule whose matches all begin with a word of the list, so that it is tried only behind the first letters of one. */
export const listRule = (kind: TokenKind, words: readonly string[], pattern: string, read: Read): Rule => ({
  ...wordRule(kind, words, pattern, read),
  prefixes: prefixesOf(words),
})

/** Rules whose matches begin with a number and one of the words behind it, so that they are tried only there. */
export function beforeWords(words: readonly string[], rules: readonly Rule[]): Rule[] {
  const behind = prefixesOf(words)
  return rules.map((one) => ({ ...one, behind }))
}

/** A pattern may leave out the period of a word. */
const prefixesOf = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.map((word) => word.replace(/\.$/, '').slice(0, LONGEST_PREFIX)))

/** One rule for each way in which its match may begin. */
export function rulesAt(starts: readonly Start[], kind: TokenKind, pattern: string, read: Read, flags = ''): Rule[] {
  const shared = rule(kind, 'digit', pattern, read, flags)
  return starts.map((start) => ({ ...shared, starts: start }))
}

const SIGNS_AND_MARKS = '-−–+±.,'

/** A number that may have a sign or a decimal mark before it. */
export function signed(kind: TokenKind, pattern: string, read: Read): Rule[] {
  const shared = rule(kind, 'digit', pattern, read)
  return [shared, { ...shared, starts: 'symbol', first: SIGNS_AND_MARKS, isNumber: true }]
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** An alternation of texts, the longest first: `kg` is not read as `k`. Never matches if there are none. */
export const oneOf = (words: Iterable<string>): string =>
  [...words]
    .sort((a, b) => b.length - a.length)
    .map(escapeRegExp)
    .join('|') || NEVER

/** Each word in small letters, with a capital, and in capitals. Unlike the flag `i`, this compiles fast. */
export const inAnyCase = (words: readonly string[]): string[] => [
  ...new Set(
    words.flatMap((word) => {
      const lower = word.toLowerCase()
      return [word, lower, `${lower.slice(0, 1).toUpperCase()}${lower.slice(1)}`, word.toUpperCase()]
    }),
  ),
]

/** A period at the end of a match stays in the text if it ends a sentence too. */
export const keepingSentenceEnd = (
  match: string,
  { after }: Around,
  spoken: string,
  ends: (after: string) => boolean = endsSentence,
): RuleAnswer => (match.endsWith('.') && ends(after) ? { spoken, length: match.length - 1 } : spoken)

/** If a period before this text ends a sentence: nothing follows, or a capital letter does. */
export const endsSentence = (after: string): boolean => /^['"”’»)\]]*(?:\s*$|\s+["'“‘«(¿¡]*\p{Lu})/u.test(after)

export const isSignFree = (sign: string | undefined, { before }: Around): boolean =>
  sign === undefined || sign === '' || !/[\p{L}\p{N}.,)\]%]$/u.test(before)

/** `²` and `⁻³` as plain digits. */
export const plainDigits = (marks: string, from: string): string =>
  Array.from(marks, (mark) => (mark === '⁻' ? '-' : mark === '⁺' ? '' : String(from.indexOf(mark)))).join('')

const ROMAN_VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }
const ROMAN = /^M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/

/** Null unless it is a Roman numeral in its standard form. */
export function romanValue(numeral: string): number | null {
  if (numeral === '' || !ROMAN.test(numeral)) return null
  const values = Array.from(numeral, (letter) => ROMAN_VALUES[letter] ?? 0)
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0)
}
