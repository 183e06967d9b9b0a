import { describe, expect, test } from 'vitest'
import { rangesIn } from '../../../../src/engines/espeak/japanese/japanese-ranges.ts'

/** The text with から where it is said. */
const said = (text: string) => {
  const ranges = rangesIn(text)
  return text
    .split('')
    .map((unit, at) => (ranges.has(at) ? 'から' : unit))
    .join('')
}

describe('a sign between words or numbers is said as から', () => {
  test.each([
    ['東京～大阪', '東京から大阪'],
    ['9時〜17時、1～3個', '9時から17時、1から3個'],
    ['9:00 ～ 17:00', '9:00 から 17:00'],
    ['9時~17時', '9時から17時'],
    ['10%〜20％〜￥300', '10%から20％から￥300'],
    ['「東京」〜「大阪」', '「東京」から「大阪」'],
    ['A〜Z', 'AからZ'],
    ['成田〜ロンドン、ロンドン〜パリ', '成田からロンドン、ロンドンからパリ'],
    ['葛󠄀〜東', '葛󠄀から東'],
    ['𠮷〜東', '𠮷から東'],
  ])('%s', (text, expected) => expect(said(text)).toBe(expected))
})

describe('it is not said', () => {
  test.each([
    ['that lengthens a vowel', 'すご～い、ラ〜メン、あ〜、まだ〜本当〜に'],
    ['around a subtitle', '映画〜夏の思い出〜、物語 〜夏の日〜'],
    ['that opens or ends a line', '〜東京\n大阪〜\n京都'],
    ['of a path or of Latin words', '~/home a~b'],
  ])('of one %s', (_kind, text) => expect(said(text)).toBe(text))
})
