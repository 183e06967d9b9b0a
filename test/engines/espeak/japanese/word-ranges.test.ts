import { expect, test } from 'vitest'
import { readInRange } from '../../../../src/engines/espeak/japanese/japanese-ranges.ts'

const word = (surface: string, pronunciation: string, kind: string, detail = '*') => ({
  surface,
  pronunciation,
  partOfSpeech: '名詞',
  partOfSpeechSubcategory1: kind,
  partOfSpeechSubcategory2: detail,
})
const SIGN = { ...word('〜', '〜', '一般'), partOfSpeech: '記号' }
const TOKYO = word('東京', 'トーキョー', '固有名詞', '地域')
const OSAKA = word('大阪', 'オーサカ', '固有名詞', '地域')
const TODAY = word('今日', 'キョー', '副詞可能')
const FUN = word('最高', 'サイコー', '一般')
const [MONDAY, FRIDAY] = [word('月', 'ツキ', '一般'), word('金', 'キム', '固有名詞', '人名')]

test.each([
  ['two places', [TOKYO, SIGN, OSAKA], 'カラ'],
  ['two weekdays', [MONDAY, SIGN, FRIDAY], 'カラ'],
  ['a place and a time', [TOKYO, SIGN, TODAY], undefined],
  ['a place and a noun', [TOKYO, SIGN, FUN], undefined],
  ['a place and nothing', [TOKYO, SIGN], undefined],
])('a sign between %s', (_kind, tokens, reading) => expect(readInRange(tokens, 1)).toBe(reading))

test('a weekday has its short name in a range alone', () => {
  expect([0, 2].map((at) => readInRange([MONDAY, SIGN, FRIDAY], at))).toEqual(['ゲツ', 'キン'])
  expect(readInRange([MONDAY, SIGN, TOKYO], 0)).toBeUndefined()
  expect(readInRange([MONDAY], 0)).toBeUndefined()
  expect(readInRange([word('4', 'ヨン', '数'), MONDAY, SIGN, FRIDAY], 1)).toBeUndefined()
})
