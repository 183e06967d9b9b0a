import { FASTEST_PACE, SLOWEST_PACE } from '../../engines/engine.ts'
import { LANGUAGES, type Language } from '../../engines/espeak/detect-language.ts'
import { MAX_PAUSE_MS } from './script.ts'

const TIME = /^\+?(\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s?(ms|s)$/i
const RATE = /^([+-])?(\d{1,4}(?:\.\d{1,4})?)(%)?$/
const RATES: Readonly<Record<string, number>> = {
  'x-slow': 0.5,
  slow: 0.75,
  medium: 1,
  default: 1,
  fast: 1.25,
  'x-fast': 1.75,
}
const STRENGTHS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 100,
  weak: 250,
  medium: 500,
  strong: 1000,
  'x-strong': 1500,
}
export const STRENGTH_NAMES = Object.keys(STRENGTHS).join(', ')

const CODES: readonly string[] = ['zh', 'en', 'ja', 'ko', 'fr', 'de', 'it', 'es', 'pt', 'ru']

/** Parses `1.5s`, `2 s` or `500ms` to milliseconds; null if invalid or longer than MAX_PAUSE_MS. */
export function readPause(time: string): number | null {
  const [, amount, unit = ''] = TIME.exec(time) ?? []
  if (amount === undefined) return null
  const ms = Math.round(Number(amount) * (unit.toLowerCase() === 's' ? 1000 : 1))
  return ms <= MAX_PAUSE_MS ? ms : null
}

export const readStrength = (strength: string): number | null =>
  Object.hasOwn(STRENGTHS, strength) ? (STRENGTHS[strength] ?? null) : null

/** Parses a rate (a word, `1.2`, `80%`, `+20%`) to a factor; null if invalid or outside 0.25 to 4. */
export function readRate(rate: string): number | null {
  const [, sign, amount = '', percent] = RATE.exec(rate) ?? []
  const word = Object.hasOwn(RATES, rate) ? RATES[rate] : undefined
  if (word !== undefined) return word
  if (amount === '' || (sign !== undefined && percent === undefined)) return null
  const number = Number(amount) / (percent === undefined ? 1 : 100)
  const factor = sign === undefined ? number : sign === '+' ? 1 + number : 1 - number
  return isSpeakable(factor) ? factor : null
}

export const isSpeakable = (rate: number): boolean => rate >= SLOWEST_PACE && rate <= FASTEST_PACE

export function readLanguage(code: string): Language | null {
  const at = CODES.indexOf(code.toLowerCase().split(/[-_]/, 1)[0] ?? '')
  return LANGUAGES[at] ?? null
}
