/** The longest text of a job, in Unicode code points. */
export const MAX_TEXT_CHARACTERS = 10_000
/** Anything that is neither white space nor invisible: zero-width characters and marks of direction give no sound. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]/u

/** What keeps `text` from being spoken by any endpoint, whatever its schema lets pass, or null. */
export function checkSpokenText(text: unknown): string | null {
  if (typeof text !== 'string') return 'must be string'
  // A code point takes at most two of the string's units: what is longer need not be counted.
  const isLong = text.length > MAX_TEXT_CHARACTERS
  if (text.length > 2 * MAX_TEXT_CHARACTERS || (isLong && codePoints(text) > MAX_TEXT_CHARACTERS))
    return `must NOT have more than ${MAX_TEXT_CHARACTERS} characters`
  return VISIBLE.test(text) ? null : 'must hold a character that is not white space'
}

/** As JSON Schema and the price count a text's characters. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
