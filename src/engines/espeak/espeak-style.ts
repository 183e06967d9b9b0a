import { paceOf } from '../engine.ts'
import { foldWord, MODIFIERS, NEGATIONS, STYLE_WORDS, type Style } from './espeak-style-words.ts'

/** Rate in words per minute; the others in eSpeak's units, neutral at 50, 50 and 100. */
export interface Prosody {
  readonly rate: number
  readonly pitch: number
  readonly range: number
  readonly volume: number
  readonly whispers: boolean
  /** Present if eSpeak's rate alone misses the pace. */
  readonly pace?: { readonly ownRate: number; readonly speed: number }
}

const NEUTRAL = { rate: 175, pitch: 50, range: 50, volume: 100 } as const
const LEAST_WHISPER = 0.4
const LIMITS = { rate: [80, 450], pitch: [0, 99], range: [0, 99], volume: [10, 170] } as const

const TRUE_SPEEDS = [0.75, 1.5] as const

/** "not too fast" asks for less, not for the opposite. */
const NEGATED = -0.4
const REACH_WORDS = 3

/** Translates a style instruction: known words add up, scaled by modifiers; `speed` multiplies the rate. Pure. */
export function styleToProsody(instruction: string | undefined, speed = 1): Prosody {
  const style = instruction === undefined ? {} : readStyle(instruction)
  return {
    ...toRate(NEUTRAL.rate * 1.3 ** (style.rate ?? 0), paceOf(speed)),
    pitch: clamp('pitch', NEUTRAL.pitch + 16 * (style.pitch ?? 0)),
    range: clamp('range', NEUTRAL.range + 20 * (style.range ?? 0)),
    volume: clamp('volume', NEUTRAL.volume * 1.4 ** (style.volume ?? 0)),
    whispers: (style.whisper ?? 0) >= LEAST_WHISPER,
  }
}

function toRate(own: number, speed: number): Pick<Prosody, 'rate' | 'pace'> {
  const rate = clamp('rate', own * speed)
  const isCut = rate !== Math.round(own * speed)
  const isTrue = speed === 1 || (!isCut && speed >= TRUE_SPEEDS[0] && speed <= TRUE_SPEEDS[1])
  return isTrue ? { rate } : { rate, pace: { ownRate: clamp('rate', own), speed } }
}

function clamp(parameter: keyof typeof LIMITS, value: number): number {
  const [low, high] = LIMITS[parameter]
  return Math.round(Math.min(high, Math.max(low, value)))
}

function readStyle(instruction: string): Style {
  const total: Record<keyof Style, number> = { rate: 0, pitch: 0, range: 0, volume: 0, whisper: 0 }
  let strength = 1
  let reach = 0
  for (const word of words(instruction)) {
    const style = STYLE_WORDS.get(word)
    const modifier = NEGATIONS.has(word) ? NEGATED : MODIFIERS.get(word)
    if (modifier !== undefined) {
      strength *= modifier
      reach = REACH_WORDS
    } else if (style !== undefined || reach-- <= 0) {
      for (const [parameter, amount] of Object.entries(style ?? {}))
        total[parameter as keyof Style] += amount * strength
      strength = 1
      reach = 0
    }
  }
  return total
}

/** Splits scripts without spaces at known words. */
function words(instruction: string): string[] {
  const tokens = foldWord(instruction).match(/[\p{L}\p{M}]+(?:['’]\p{L}+)?/gu) ?? []
  return tokens.flatMap((token) => (UNSPACED.test(token) ? cut(token) : token.replace(/^.*n['’]t$/, 'not')))
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

function cut(token: string): string[] {
  const found: string[] = []
  for (let at = 0; at < token.length; ) {
    const word = LONGEST_FIRST.find((known) => token.startsWith(known, at))
    if (word !== undefined) found.push(word)
    at += word?.length ?? 1
  }
  return found
}

const LONGEST_FIRST = [...STYLE_WORDS.keys(), ...MODIFIERS.keys(), ...NEGATIONS]
  .filter((word) => UNSPACED.test(word))
  .sort((a, b) => b.length - a.length)
