import { describe, expect, test } from 'vitest'
import { openJapaneseReader } from '../../../../src/engines/espeak/japanese/japanese-reader.ts'
import { spokenText } from '../../../../src/engines/espeak/spoken-part.ts'
import { countKanji, toSpokenText } from '../../../../src/engines/espeak/spoken-text.ts'

const read = openJapaneseReader()
const parts = (text: string) => toSpokenText(text, 'ja', read)
const spoken = (text: string) => spokenText(parts(text)).replace(/\s+/gu, ' ').trim()

describe('a text in Japanese is given to eSpeak as it is pronounced', () => {
  test.each([
    ['今日は天気がいい', 'キョーワ テンキガ イイ'],
    ['東京へ行きました。', 'トーキョーエ イキマシタ。'],
    ['山田太郎さんは学生です。', 'ヤマダ タローサンワ ガクセイデス。'],
    ['NHKの番組', 'NHKノ バングミ'],
    ['食べている人、ひらがな', 'タベテイル ヒト、 ヒラガナ'],
  ])('%s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['2025年11月22日', 'ニセンニジューゴネン ジューイチガツ ニジューニニチ'],
    ['4月1日と9月20日', 'シガツ ツイタチト クガツ ハツカ'],
    ['一月一日から一日', 'イチガツ ツイタチカラ イチニチ'],
    ['令和8年、平成元年', 'レイワ ハチネン、 ヘイセイ ガンネン'],
    ['檸檬と令', 'レモント リョー'],
    ['午後4時45分', 'ゴゴ ヨジ ヨンジューゴフン'],
    ['三匹の猫と5本', 'サンビキノ ネコト ゴホン'],
    ['一本、二本、三本、六本', 'イッポン、 ニホン、 サンボン、 ロッポン'],
    ['1人、2人、14人、100人', 'ヒトリ、 フタリ、 ジューヨニン、 ヒャクニン'],
    ['二十歳、8回、10個', 'ニジュッサイ、 ハッカイ、 ジュッコ'],
    ['3ヶ月、三ヵ国', 'サンカゲツ、 サンカコク'],
    ['1,234円', 'センニヒャクサンジューヨエン'],
    ['一千万円', 'イッセンマンエン'],
    ['1300800人', 'ヒャクサンジューマンハッピャクニン'],
    ['十分です', 'ジューブンデス'],
    ['電話03', 'デンワ ゼロサン'],
  ])('numbers with their counters: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['5万円', 'ゴマンエン'],
    ['100万円です', 'ヒャクマンエンデス'],
    ['2億3000万円', 'ニオクサンゼンマンエン'],
    ['1億', 'イチオク'],
    ['3.5万円', 'サンテンゴマンエン'],
    ['1,234万人', 'センニヒャクサンジューヨンマンニン'],
    ['５万、１，２３４万円', 'ゴマン、 センニヒャクサンジューヨンマンエン'],
    ['二十五万', 'ニジューゴマン'],
    ['千円と百円と1千万円', 'センエント ヒャクエント イッセンマンエン'],
    ['5万5千円', 'ゴマンゴセンエン'],
    ['10京円', 'ジュッケーエン'],
    ['万単位', 'マン タンイ'],
  ])('digits and units as one number: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['数万円', 'スーマンエン'],
    ['何千人', 'ナンゼンニン'],
    ['何百', 'ナンビャク'],
    ['十数人と20数年', 'ジュースーニント ニジュースーネン'],
    ['何時ですか', 'ナンジデスカ'],
    ['何月', 'ナンガツ'],
    ['数の子', 'カズノコ'],
    ['何も', 'ナニモ'],
  ])('numbers that are not named: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['五〇', 'ゴジュー'],
    ['二〇二六年', 'ニセンニジューロクネン'],
    ['二○二六年', 'ニセンニジューロクネン'],
    ['〇三', 'ゼロサン'],
    ['零時', 'レイジ'],
    ['零点', 'レイテン'],
    ['〇〇さん', 'マルマルサン'],
  ])('zero in kanji: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['1か所、1カ所、1ヶ所、1箇所', 'イッカショ、 イッカショ、 イッカショ、 イッカショ'],
    ['1世紀と21世紀', 'イッセイキト ニジューイッセイキ'],
    ['1周年', 'イッシューネン'],
    ['卵を5つ', 'タマゴヲ イツツ'],
    ['三分の一', 'サンブンノ イチ'],
    ['2対1', 'ニ タイ イチ'],
    ['第3回', 'ダイ サンカイ'],
    ['10部屋と3部屋', 'ジュッヘヤト サンヘヤ'],
    ['3遍、何遍、千遍', 'サンベン、 ナンベン、 センベン'],
    ['3行目と1行、銀行', 'サンギョーメト イチギョー、 ギンコー'],
    ['一行目と一行', 'イチギョーメト イッコー'],
    ['何分かかりますか、今何分', 'ナンプン カカリマスカ、 イマ ナンプン'],
    ['何分よろしく', 'ナニブン ヨロシク'],
    ['3割5分、三割一分、5分', 'サンワリ ゴブ、 サンワリ イチブ、 ゴフン'],
  ])('nouns that count: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['人々と時々', 'ヒトビトト トキドキ'],
    ['佐々木', 'ササキ'],
    ['辿々', 'タドタド'],
    ['学問のすゝめ', 'ガクモンノ ススメ'],
    ['ｶﾞｷﾞｸﾞの漢字', 'ガギグノ カンジ'],
    ['ﾊﾟｿｺﾝ', 'パソコン'],
    ['こゝろ いすゞ', 'こころ いすず'],
  ])('iteration marks and half-width kana: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['東京～大阪', 'トーキョーカラ オーサカ'],
    ['9時〜17時', 'クジカラ ジューシチジ'],
    ['1～3', '1から3'],
    ['東京 ～ 大阪', 'トーキョー カラ オーサカ'],
    ['東京~大阪', 'トーキョーカラ オーサカ'],
    ['「東京」〜「大阪」', '「 トーキョー」カラ「 オーサカ」'],
    ['東京駅〜新大阪駅', 'トーキョーエキカラ シンオーサカエキ'],
    ['成田〜ロンドン、葛飾〜江東', 'ナリタカラ ロンドン、 カツシカカラ コートー'],
    ['一月〜三月、三〜五日、三丁目〜四丁目', 'イチガツカラ サンガツ、 サンカラ イツカ、 サンチョーメカラ ヨンチョーメ'],
    ['午前〜午後、月曜〜金曜', 'ゴゼンカラ ゴゴ、 ゲツヨーカラ キンヨー'],
    ['月〜金、土~日、月～金曜日', 'ゲツカラ キン、 ドカラ ニチ、 ゲツカラ キンヨービ'],
    ['超〜楽しい', 'チョーー タノシイ'],
    ['大〜好き', 'ダイー スキ'],
    ['マジ〜最高、今日〜最高', 'マジー サイコー、 キョーー サイコー'],
    ['オハヨ〜ゴザイマス、皆様', 'オハヨーゴザイマス、 ミナサマ'],
    ['コンニチハ〜皆さん', 'コンニチハー ミナサン'],
    ['ヤッホ〜皆さん', 'ヤッホー ミナサン'],
    ['ハロ〜ワーク前', 'ハロー ワーク マエ'],
    ['〜夏の日〜物語', 'ナツノヒー モノガタリ'],
    ['〜東京〜大阪、東京〜大阪〜', 'トーキョーー オーサカ、 トーキョーー オーサカー'],
    ['その日〜月、太郎〜花子', 'ソノヒー ツキ、 タローー ハナコ'],
    ['おなか～が空いた', 'オナカーガ アイタ'],
  ])('a wave between words or numbers is から, and in a word a long vowel: %s', (text, reading) =>
    expect(spoken(text)).toBe(reading),
  )

  test.each([
    ['ここゟ', 'ここより'],
    ['漢字ヿ', 'カンジ コト'],
    ['\u{1b017}な', 'かな'],
  ])('kana that eSpeak cannot read are those that it can: %s', (text, reading) => expect(spoken(text)).toBe(reading))

  test.each([
    ['葛\u{e0100}飾区', 'カツシカク'],
    ['東\ufe00京\ufe01', 'トーキョー'],
    ['\u{e0100}東京', 'トーキョー'],
  ])('a selector of the look of a kanji parts no word: %j', (text, reading) => expect(spoken(text)).toBe(reading))

  test('a kanji that the dictionary does not know is passed over', () => {
    expect(spoken('驫麤は知らない')).toBe('ワ シラナイ')
    expect(spoken('屡々、人々')).toBe('シバシバ、 ヒトビト')
  })

  test.each([
    ['驫麤は知らない', { read: 5, unread: 2 }],
    ['人々は壓力を驫く', { read: 7, unread: 1 }],
    ['葛\u{e0100}飾区と驫\u{e0100}', { read: 4, unread: 1 }],
    ['屡々', { read: 2, unread: 0 }],
    ['かなと ABC、12。', { read: 8, unread: 0 }],
    ['Hello my name is 陈伟', { read: 13, unread: 2 }],
    ['驫麤', { read: 0, unread: 2 }],
  ])('how many of its kanji have no reading is counted, and what is read: %s', (text, count) => {
    expect(countKanji(text, 'ja', parts(text))).toEqual(count)
  })

  test('kanji that are no Japanese are no unread ones', () => {
    const never = () => []
    const count = (text: string, language: string) => countKanji(text, language, toSpokenText(text, language, never))
    expect(count('你好 驫', 'cmn')).toEqual({ read: 3, unread: 0 })
    expect(count('Hello 陈伟', 'en-us')).toEqual({ read: 5, unread: 0 })
  })

  test.each([
    ['𠮷野家', 'ヨシノヤ'],
    ['髙橋さんと﨑山さん', 'タカハシサント サキヤマサン'],
    ['𠮟る', 'シカル'],
  ])('a form that it does not know is read as the one that it knows: %s', (text, reading) => {
    expect(spoken(text)).toBe(reading)
    expect(parts(text).at(-1)!.start + parts(text).at(-1)!.length).toBe([...text].length)
  })

  test.each([
    ['りんごを3つください', 'リンゴヲ ミッツクダサイ'],
    ['りんごを２つ', 'リンゴヲ フタツ'],
    ['10キロ', 'ジュッキロ'],
    ['8ページ', 'ハチページ'],
    ['10ﾒｰﾄﾙ', 'ジューメートル'],
    ['ロンドン〜パリ', 'ロンドンカラ パリ'],
  ])('numbers with their counters and ranges of a text without kanji: %s', (text, reading) =>
    expect(spoken(text)).toBe(reading),
  )

  test.each(['きょうは いいてんき、カラオケ ABC 123', 'あしたの 3 じに、ラ〜メン 2.5 まい', 'すご〜い、つくえ'])(
    'any other text without kanji is left to eSpeak, which reads kana itself: %s',
    (text) => {
      const never = () => {
        throw new Error('the dictionary was asked')
      }
      expect(spokenText(toSpokenText(text, 'ja', never))).toBe(text.replaceAll('〜', 'ー'))
    },
  )
})

describe('every reading leads back to the code points of the submitted text', () => {
  test('a word to its first character, in any plane', () => {
    const text = '😀今日は2025年の😀天気です'
    const readings = parts(text)
      .filter(({ spoken: said }) => /[ァ-ヺ]/u.test(said))
      .map((part) => [part.spoken.trim(), [...text].slice(part.start, part.start + part.length).join('')])
    expect(readings).toEqual([
      ['キョー', '今日'],
      ['ワ', 'は'],
      ['ニセンニジューゴネン', '2025年'],
      ['ノ', 'の'],
      ['テンキ', '天気'],
      ['デス', 'です'],
    ])
  })

  test('a word to its first kanji, also where selectors of their looks stand within it', () => {
    const places = (text: string) =>
      parts(text).map(({ spoken: said, start, length }) => [
        said.trim(),
        [...text].slice(start, start + length).join(''),
      ])
    expect(places('葛\u{e0100}飾区ゟ東\ufe00京〜𠮷田')).toEqual([
      ['カツシカ', '葛\u{e0100}飾'],
      ['ク', '区'],
      ['ヨリ', 'ゟ'],
      ['トーキョー', '東\ufe00京'],
      ['カラ', '〜'],
      ['ヨシダ', '𠮷田'],
    ])
  })

  test('a number with its units and its counter to its first digit', () => {
    expect(parts('約2億3000万円の5万').map(({ start, length }) => [start, length])).toEqual([
      [0, 1],
      [1, 8],
      [9, 1],
      [10, 2],
    ])
  })

  test.each(['ｶﾞｷﾞの漢字', '㈱日本', '三匹の猫。\n\n1,234円…', '驫麤 𠮷', 'iPhone15を買った'])(
    'in order, without a gap: %s',
    (text) => {
      let end = 0
      for (const { start, length } of parts(text)) {
        expect(start).toBeLessThanOrEqual(end)
        end = Math.max(end, start + length)
      }
      expect(end).toBe([...text].length)
    },
  )
})
