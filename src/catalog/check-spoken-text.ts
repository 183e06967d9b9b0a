/** The longest text of a job, in Unicode code points. */
export const MAX_TEXT_CHARACTERS = 10_000
/** A code point takes at most two of a string's units: what is longer need not be counted. */
const MAX_TEXT_UNITS = 2 * MAX_TEXT_CHARACTERS
/** Anything that is neither white space nor invisible: zero-width characters and marks of direction give no sound. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]/u

/** What keeps `text` from being spoken by any endpoint, whatever its schema lets pass, or null. */
export function checkSpokenText(text: unknown): string | null {
  if (typeof text !== 'string') return 'must be string'
  const isLong = text.length > MAX_TEXT_CHARACTERS
  if (text.length > MAX_TEXT_UNITS || (isLong && codePoints(text) > MAX_TEXT_CHARACTERS))
    return `must NOT have more than ${MAX_TEXT_CHARACTERS} characters`
  return VISIBLE.test(text) ? null : 'must hold a character that is not white space'
}

/** The same inputs, or with no more of a text that is too long than makes it so: a schema would count the characters of a megabyte. */
export function withJudgedText(inputs: Record<string, unknown>): Record<string, unknown> {
  const { text } = inputs
  const isLong = typeof text === 'string' && text.length > MAX_TEXT_UNITS
  return isLong ? { ...inputs, text: text.slice(0, MAX_TEXT_UNITS + 1) } : inputs
}

/** As JSON Schema and the price count a text's characters. */
export function codePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))) count--
  return count
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
