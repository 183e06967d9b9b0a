import { expect, test } from 'vitest'
import { toCsv } from '../../../src/console/jobs/csv.ts'

test('texts that a spreadsheet would take for formulas get an apostrophe, and numbers stay numbers', () => {
  const rows = [
    { name: '=1+1', cost: -5, note: 'a "b", c' },
    { name: ' @x', cost: 0, note: null },
  ]
  expect(toCsv(['name', 'cost', 'note'], rows)).toBe('\uFEFFname,cost,note\r\n\'=1+1,-5,"a ""b"", c"\r\n\' @x,0,\r\n')
})

/** By the Unicode of this node, without surrogates. */
const CHARACTERS = Array.from({ length: 0x10ffff }, (_nothing, at) => at + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const SIGNS = CHARACTERS.filter((character) => '=+-@'.includes(character.normalize('NFKC')[0] as string))
const UNSEEN = CHARACTERS.filter((character) =>
  /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\u2800\u{13441}\u{13442}\u{1d159}]/u.test(
    character,
  ),
)
const first = (note: string) => toCsv(['note'], [{ note }]).split('note\r\n')[1]?.replace(/^"/, '')[0]

test('a formula is one with signs of every width and height, behind whatever is not seen, too', () => {
  expect(SIGNS.length).toBeGreaterThan(14)
  expect(UNSEEN.length).toBeGreaterThan(4000)
  expect(SIGNS.filter((sign) => first(`${sign}1`) !== "'")).toEqual([])
  const behind = (text: (at: number) => string) => UNSEEN.map((blank, at) => `${blank}${text(at)}`)
  expect(
    behind((at) => `${UNSEEN[(at * 31) % UNSEEN.length]}${SIGNS[at % SIGNS.length]}1`).filter(
      (text) => first(text) !== "'",
    ),
  ).toEqual([])
  expect(behind(() => 'a=1').filter((text) => first(text) === "'" && !/^[\t\r\n]/.test(text))).toEqual([])
})
