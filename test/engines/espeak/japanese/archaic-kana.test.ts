import { expect, test } from 'vitest'
import { modernKana } from '../../../../src/engines/espeak/spoken-text.ts'

test.each([
  ['U+1B000 KATAKANA LETTER ARCHAIC E', 'エ'],
  ['U+1B001 HIRAGANA LETTER ARCHAIC YE', 'え'],
  ['U+1B002 HENTAIGANA LETTER A-1', 'あ'],
  ['U+1B005 HENTAIGANA LETTER A-WO', 'あ'],
  ['U+1B017 HENTAIGANA LETTER KA-1', 'か'],
  ['U+1B022 HENTAIGANA LETTER KA-KE', 'か'],
  ['U+1B05F HENTAIGANA LETTER TA-2', 'た'],
  ['U+1B071 HENTAIGANA LETTER TE-4', 'て'],
  ['U+1B0E0 HENTAIGANA LETTER YA-4', 'や'],
  ['U+1B11D HENTAIGANA LETTER N-MU-MO-1', 'ん'],
  ['U+1B11E HENTAIGANA LETTER N-MU-MO-2', 'ん'],
  ['U+1B11F HIRAGANA LETTER ARCHAIC WU', 'う'],
  ['U+1B122 KATAKANA LETTER ARCHAIC WU', 'ウ'],
  ['U+1B152 HIRAGANA LETTER SMALL WO', 'を'],
])('%s is written %s today', (name, kana) => {
  expect(modernKana(String.fromCodePoint(Number.parseInt(name.slice(2, 7), 16)))).toBe(kana)
})

test('every archaic kana has one, and nothing else does', () => {
  for (let code = 0x1b000; code <= 0x1b122; code++)
    expect(modernKana(String.fromCodePoint(code))).toMatch(/^[ぁ-ゖァ-ヺん]$/u)
  for (const other of ['か', 'カ', 'A', '漢', '\u{1b123}', '\u{1afff}']) expect(modernKana(other)).toBeUndefined()
})
