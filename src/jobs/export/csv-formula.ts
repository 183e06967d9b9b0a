import { escapeLiteral } from 'pg'

/**
 * What may stand unseen before a formula: what Unicode calls white space, ignorable, a control or a format character, unassigned ones
 * included, and marks, which have no width of their own at the start of a cell.
 */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]+/gu
/** Blank by their names alone: the braille pattern, the hieroglyphs and the note head. */
const BLANK = '\u2800\u{13441}\u{13442}\u{1d159}'
/** `= + - @`, and what Unicode takes for one of them in another width, size or height. The hyphen comes last, where it is no range. */
const SIGNS = '=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\\-'
/** The planes that hold any of them; surrogates are no characters, and NUL is no text. */
const RANGES = [
  [0x1, 0xd7ff],
  [0xe000, 0x1ffff],
  [0xe0000, 0xe0fff],
] as const
const CHUNK_CHARACTERS = 8_192

let known: string | undefined

/** A regular expression of PostgreSQL: a text that a spreadsheet would run. Worked out once, in some milliseconds. */
const formula = (): string => {
  known ??= escapeLiteral(`^[${unseenRanges()}${BLANK}]*[${SIGNS}\t\r\n]`)
  return known
}

/** In order of their codes, characters that belong together follow each other: each match is a range. */
const unseenRanges = (): string =>
  RANGES.flatMap(([first, last]) => [...characters(first, last).matchAll(UNSEEN)])
    .map(([run]) => [...run])
    .map((run) => (run.length < 3 ? run.join('') : `${run[0]}-${run.at(-1)}`))
    .join('')

function characters(first: number, last: number): string {
  const parts: string[] = []
  for (let start = first; start <= last; start += CHUNK_CHARACTERS) {
    const length = Math.min(CHUNK_CHARACTERS, last - start + 1)
    parts.push(String.fromCodePoint(...Array.from({ length }, (_nothing, at) => start + at)))
  }
  return parts.join('')
}

/**
 * The SQL of a text from outside: one that a spreadsheet would run gets one leading apostrophe. Most begin with a letter or a
 * digit and need no regular expression.
 */
export const escapeFormula = (column: string): string =>
  `case when ascii(${column}) between 48 and 57 or ascii(${column}) between 65 and 126 then ${column}
        when ${column} ~ ${formula()} then '''' || ${column} else ${column} end`
