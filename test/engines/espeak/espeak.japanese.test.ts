import { afterAll, describe, expect, test } from 'vitest'
import { durationMs } from '../../../src/audio/wav.ts'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { openLog } from '../../../src/values/log.ts'

const engine = openEspeak({ threads: 1, log: openLog('silent') })
afterAll(() => engine.close())

const speak = async (text: string, language: string, engineVoice = 'en-us+f1') => {
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  return (await engine.speak({ text, language, voice, extra: {}, signal: new AbortController().signal })).audio
}
const length = async (...request: Parameters<typeof speak>) => durationMs(await speak(...request))

describe('Japanese with kanji', () => {
  test.each([
    ['今日は天気がいい', 'きょうはてんきがいい'],
    ['東京駅から新幹線で大阪へ行きました。', 'とうきょうえきからしんかんせんでおおさかへいきました。'],
    ['2025年11月22日', 'にせんにじゅうごねんじゅういちがつにじゅうににち'],
    ['山田太郎さんが三匹の猫を買った。', 'やまだたろうさんがさんびきのねこをかった。'],
    ['人々は時々ｶﾗｵｹに行く', 'ひとびとはときどきカラオケにいく'],
    ['吾輩は猫である。名前はまだ無い。', 'わがはいはねこである。なまえはまだない。'],
  ])('%s lasts what its kana lasts', async (kanji, kana) => {
    const expected = await length(kana, 'Japanese')
    for (const language of ['Japanese', 'auto']) {
      const ratio = (await length(kanji, language)) / expected
      expect(Math.abs(ratio - 1), `${language}: ${ratio}`).toBeLessThan(0.25)
    }
  })

  test('that the dictionary does not know, alone, is not spoken, and the cause says why', async () => {
    const reason = 'The dictionary of this language has no reading for the kanji of the text'
    await expect(speak('驫麤', 'Japanese')).rejects.toThrow(reason)
  })

  test('alone is Japanese where it is asked for, where Chinese does not write it so, and for a Japanese voice', async () => {
    const japanese = await speak('漢字', 'Japanese', 'ja+f1')
    expect(await speak('漢字', 'auto', 'ja+f1')).toEqual(japanese)
    expect(await speak('漢字', 'auto')).toEqual(await speak('漢字', 'Chinese'))
    expect(await speak('駅前', 'auto')).toEqual(await speak('駅前', 'Japanese'))
    expect(await speak('你好', 'auto', 'ja+f1')).toEqual(await speak('你好', 'Chinese', 'ja+f1'))
  })
})
