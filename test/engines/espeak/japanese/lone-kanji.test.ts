import { describe, expect, test } from 'vitest'
import { openJapaneseReader, readLoneKanji } from '../../../../src/engines/espeak/japanese/japanese-reader.ts'
import { spokenText } from '../../../../src/engines/espeak/spoken-part.ts'
import { toSpokenText } from '../../../../src/engines/espeak/spoken-text.ts'

const read = openJapaneseReader()
const spoken = (text: string) =>
  spokenText(toSpokenText(text, 'ja', read))
    .replace(/\s+/gu, ' ')
    .trim()

/** The kanji of JIS X 0208's first level, rows 16 to 47: those in use. */
const everydayKanji = () => {
  const cells = Array.from({ length: 32 * 94 }, (_, at) => [0xb0 + Math.floor(at / 94), 0xa1 + (at % 94)]).flat()
  return [...new TextDecoder('euc-jp').decode(Uint8Array.from(cells))].filter((kanji) => /\p{Script=Han}/u.test(kanji))
}

describe('a kanji in everyday use is read also where the dictionary lacks its word', () => {
  test.each([
    ['圧が強い', 'アツガ ツヨイ'],
    ['該店', 'ガイテン'],
    ['設と繊', 'セツト セン'],
  ])('%s', (text, reading) => expect(spoken(text)).toBe(reading))

  test('every one alone', () => {
    const kanji = everydayKanji()
    expect(kanji).toHaveLength(2965)
    expect(kanji.filter((one) => !/^[ァ-ヺー]+$/u.test(spoken(one)))).toEqual([])
  })
})

test('a word of the dictionary keeps its own reading', () => {
  expect(spoken('血圧と弾圧')).toBe('ケツアツト ダンアツ')
  expect(readLoneKanji('漢')).toBeUndefined()
})
