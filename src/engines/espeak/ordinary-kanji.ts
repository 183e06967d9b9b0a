/** Kanji of names and of older texts that the dictionary lacks, each followed by the form of it that it has. */
const PAIRS =
  '𠮷吉髙高﨑崎𣘺橋槗橋德徳桒桑栁柳濵浜瀨瀬賴頼邊辺邉辺齋斎曻昇彅薙黑黒靑青增増淸清橫横緖緒吳呉敎教步歩每毎卽即值値產産硏研戶戸內内兩両𠮟叱塡填頰頬'
const ORDINARY: ReadonlyMap<string, string> = new Map(
  Array.from(PAIRS.matchAll(/(.)(.)/gu), ([_pair, form, ordinary]) => [form!, ordinary!]),
)
const FORM = new RegExp(`[${[...ORDINARY.keys()].join('')}]`, 'gu')

/** A text with as many code points, in kanji that the dictionary has where they are read the same. */
export const inOrdinaryKanji = (text: string): string => text.replace(FORM, (form) => ORDINARY.get(form) ?? form)
