import { escapeLiteral } from 'pg'

/** Invisible characters that may stand before a formula. */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]+/gu
/** Blank characters without such a property. */
const BLANK = '\u2800\u{13441}\u{13442}\u{1d159}'
/** `= + - @` and their Unicode variants; a hyphen elsewhere would form a range. */
const SIGNS = '=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\\-'
const RANGES = [
  [0x1, 0xd7ff],
  [0xe000, 0x1ffff],
  [0xe0000, 0xe0fff],
] as const
const CHUNK_CHARACTERS = 8_192

let known: string | undefined

const formula = (): string => {
  known ??= escapeLiteral(`^[${unseenRanges()}${BLANK}]*[${SIGNS}\t\r\n]`)
  return known
}

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

/** SQL that puts an apostrophe before a text that a spreadsheet would run. */
export const escapeFormula = (column: string): string =>
  `case when ascii(${column}) between 48 and 57 or ascii(${column}) between 65 and 126 then ${column}
        when ${column} ~ ${formula()} then '''' || ${column} else ${column} end`
