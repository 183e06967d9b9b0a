/** Common subtitle guidelines: 42 letters or 16 ideographs in a line. */
export const LINE_COLUMNS = 42
const WIDE_COLUMNS = LINE_COLUMNS / 16
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u3000-\u303f\uff01-\uff60]/u
const MARK = /[\p{Mn}\p{Cf}]/u

export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += character < '\u0300' ? 1 : widthOf(character)
  return columns
}

function widthOf(character: string): number {
  if (MARK.test(character)) return 0
  return WIDE.test(character) ? WIDE_COLUMNS : 1
}
