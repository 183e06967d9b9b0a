import { describe, expect, test } from 'vitest'
import { openJapaneseReader } from '../../../../src/engines/espeak/japanese/japanese-reader.ts'
import { inOrdinaryKanji } from '../../../../src/engines/espeak/japanese/ordinary-kanji.ts'
import { spokenText } from '../../../../src/engines/espeak/spoken-part.ts'

const read = openJapaneseReader()
const ordinary = (text: string) => inOrdinaryKanji(text, read)
const isRead = (text: string) => /^[\s\u30a1-\u30fa\u30fc]+$/u.test(spokenText(read(text)))

describe('a kanji that the dictionary lacks becomes the one that it has', () => {
  test.each([
    ['traditional', '氣體會驛亞學國經壓圍惡營歐', '気体会駅亜学国経圧囲悪営欧'],
    ['traditional', '變聲醉辭殘點舊廢發豐禮邊乘將', '変声酔辞残点旧廃発豊礼辺乗将'],
    [
      'of JIS X 0213',
      '剝噓摑瘦蟬蠟繫鹼麴醬鷗俠攪驒囊軀瀆萊屢餠凜堯遙塡頰𠮟',
      '剥嘘掴痩蝉蝋繋鹸麹醤鴎侠撹騨嚢躯涜莱屡餅凛尭遥填頬叱',
    ],
    ['of JIS X 0213', '嚙吞俱焰啞搔潑醱顚頸礪諫濤靱', '噛呑倶焔唖掻溌醗顛頚砺諌涛靭'],
    ['of names', '𠮷髙﨑𣘺德濵渊嵜', '吉高崎橋徳浜淵崎'],
    ['after another form of it', '弌弐貳', '一二二'],
  ])('%s: %s', (_kind, forms, kanji) => expect([...forms].map(ordinary).join('')).toBe(kanji))
})

describe('words are read as in ordinary kanji', () => {
  test.each([
    ['學校と大學', '学校と大学'],
    ['國會議事堂', '国会議事堂'],
    ['氣持ち、電氣', '気持ち、電気'],
    ['經濟學を學ぶ', '経済学を学ぶ'],
    ['與謝野晶子', '与謝野晶子'],
    ['曾野綾子', '曽野綾子'],
    ['舊假名の圖書館', '旧仮名の図書館'],
    ['石鹼と蠟燭', '石鹸と蝋燭'],
  ])('%s', (text, kanji) => {
    expect(ordinary(text)).toBe(kanji)
    expect(spokenText(read(ordinary(text)))).toBe(spokenText(read(kanji)))
  })
})

test('a word that the dictionary has as it is written stays so', () => {
  for (const word of ['未曾有', '曾祖父', '澤田', '廣瀬', '渡邊', '龍笛', '檜原'])
    expect([word, ordinary(word)]).toEqual([word, word])
})

test('everything else stays as it is, as many code points as before', () => {
  expect(ordinary('漢字とかな、ABC')).toBe('漢字とかな、ABC')
  for (const text of ['𠮷野家の學生𠮟る', '𩸽と國', '學'.repeat(500)])
    expect([...ordinary(text)]).toHaveLength([...text].length)
})

test('what a kanji becomes is one that the dictionary has in words, and no form of another', () => {
  const kanji = Array.from({ length: 0x9fff - 0x4e00 }, (_, at) => String.fromCodePoint(0x4e00 + at))
  const changed = kanji.filter((form) => ordinary(form) !== form)
  expect(changed.length).toBeGreaterThan(700)
  for (const form of changed) expect([form, ordinary(ordinary(form))]).toEqual([form, ordinary(form)])
  expect(changed.filter((form) => isRead(ordinary(form))).length).toBeGreaterThan(450)
})
