/** U+1B000 and U+1B001. */
const FIRST = 'エえ'
/** From U+1B002: reading and number in a row; the first of two readings. */
const HENTAIGANA =
  'あ4い4う5え5お3か12き8く7け6こ4さ8し6す8せ5そ7た4ち7つ5て9と7な9に8ぬ3ね7の5は11ひ7ふ3へ7ほ8ま7み7む4め3も6や6ゆ4よ6ら4り7る6れ4ろ6わ5ゐ5ゑ4を7ん2'
/** U+1B11F to U+1B122. */
const LAST = 'うイエウ'
const BLOCK = Array.from(HENTAIGANA.matchAll(/(.)(\d+)/gu), ([, kana, count]) => kana!.repeat(Number(count))).join('')
const BLOCK_START = 0x1b000
const SMALL: Readonly<Record<string, string>> = {
  '\u{1b132}': 'こ',
  '\u{1b150}': 'ゐ',
  '\u{1b151}': 'ゑ',
  '\u{1b152}': 'を',
  '\u{1b155}': 'コ',
  '\u{1b164}': 'ヰ',
  '\u{1b165}': 'ヱ',
  '\u{1b166}': 'ヲ',
  '\u{1b167}': 'ン',
}
const KANA = `${FIRST}${BLOCK}${LAST}`

/** Returns the modern kana for an archaic or small form, or undefined. Pure. */
export const modernKana = (character: string): string | undefined =>
  SMALL[character] ?? KANA[(character.codePointAt(0) ?? 0) - BLOCK_START]
