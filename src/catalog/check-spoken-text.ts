import type { JsonSchema, VoiceEndpoint } from '../context/catalog-snapshot.ts'

export const MAX_TEXT_CHARACTERS = 10_000
const UNITS_PER_CHARACTER = 2
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]/u

/** The schema's `maxLength` of `text`; undefined: none. */
export function givenLimit(inputs: JsonSchema): number | undefined {
  const { text } = (inputs.properties ?? {}) as Readonly<Record<string, { readonly maxLength?: unknown } | undefined>>
  return typeof text?.maxLength === 'number' ? text.maxLength : undefined
}

export const textLimit = ({ inputs, maxTextCharacters = MAX_TEXT_CHARACTERS }: TextEndpoint): number =>
  Math.min(givenLimit(inputs) ?? maxTextCharacters, maxTextCharacters)

type TextEndpoint = Pick<VoiceEndpoint, 'inputs' | 'maxTextCharacters'>
type Limited = Pick<VoiceEndpoint, 'maxTextCharacters'>

/** Why no endpoint can speak this text, or null. */
export function checkSpokenText(
  text: unknown,
  { maxTextCharacters: most = MAX_TEXT_CHARACTERS }: Limited = {},
): string | null {
  if (typeof text !== 'string') return 'must be string'
  const isLong = text.length > most
  if (text.length > UNITS_PER_CHARACTER * most || (isLong && codePoints(text) > most))
    return `must NOT have more than ${most} characters`
  return VISIBLE.test(text) ? null : 'must hold a character that is not white space'
}

/** Truncates a text that is far too long, so that the schema need not count it. */
export function withJudgedText(inputs: Record<string, unknown>, endpoint: Limited = {}): Record<string, unknown> {
  const { text } = inputs
  return isFarTooLong(text, endpoint) ? { ...inputs, text: text.slice(0, mostUnits(endpoint) + 1) } : inputs
}

export const isFarTooLong = (text: unknown, endpoint: Limited): text is string =>
  typeof text === 'string' && text.length > mostUnits(endpoint)

const mostUnits = ({ maxTextCharacters: most = MAX_TEXT_CHARACTERS }: Limited = {}): number =>
  UNITS_PER_CHARACTER * most

export function codePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))) count--
  return count
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
