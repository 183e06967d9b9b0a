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

describe('a sign next to a number, a letter or a bracket is said as から', () => {
  test.each([
    ['9時〜17時、1～3個', '9時から17時、1から3個'],
    ['9:00 ～ 17:00', '9:00 から 17:00'],
    ['9時~17時', '9時から17時'],
    ['10%〜20％〜￥300', '10%から20％から￥300'],
    ['「東京」〜「大阪」', '「東京」から「大阪」'],
    ['A〜Z', 'AからZ'],
    ['4月〜6月', '4月から6月'],
    ['午前10時半〜正午', '午前10時半から正午'],
    ['ゼロ〜10、10〜ゼロ', 'ゼロから10、10からゼロ'],
    ['葛󠄀〜3、𠮷〜3', '葛󠄀から3、𠮷から3'],
    ['今日（日）〜明日（月）', '今日（日）から明日（月）'],
  ])('%s', (text, expected) => expect(said(text)).toBe(expected))
})

describe('it is not said', () => {
  test.each([
    ['that lengthens a vowel', 'すご～い、ラ〜メン、あ〜、まだ〜本当〜に'],
    ['around a subtitle', '映画〜夏の思い出〜、物語 〜夏の日〜'],
    ['that opens or ends a line', '〜東京\n大阪〜\n京都'],
    ['behind a subtitle', '〜夏の日〜物語、〜17の夏〜3'],
    ['between words alone, which the dictionary judges', '東京～大阪、成田〜ロンドン、月〜金'],
    ['that lengthens a shout', 'マジ〜最高、オハヨ〜ゴザイマス、コンニチハ〜皆さん、ハロ〜ワーク、マジ〜（笑）'],
    ['that lengthens a prefix', '超〜楽しい、大〜好き、激〜3、超〜A'],
    ['of a path or of Latin words', '~/home a~b'],
  ])('of one %s', (_kind, text) => expect(said(text)).toBe(text))
})
