import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { styleToProsody } from '../../../src/engines/espeak/espeak-style.ts'

const NEUTRAL = { rate: 175, pitch: 50, range: 50, volume: 100, whispers: false }

test.each([undefined, '', 'as a teapot would', '普通'])('%j changes nothing', (instruction) => {
  expect(styleToProsody(instruction, undefined)).toEqual(NEUTRAL)
})

describe('a word moves its parameter', () => {
  test.each([
    ['rate', -1, 'slowly|Langsam, bitte|lentement|despacio|lentamente|devagar|медленно|慢慢地说|ゆっくり話して|천천히'],
    ['rate', 1, 'fast|quickly!|schnell|vite|rápido|velocemente|depressa|быстро|快速|速く|빠르게'],
    ['volume', -1, 'whisper|softly|quiet|leise|doucement doux|suave|тихо|小声|静かに|조용히'],
    ['volume', 1, 'loud|SHOUT|laut|fort|gritando|громко|大声|大声で|크게'],
    ['pitch', 1, 'high|cheerful|happy|excited|fröhlich|joyeux|alegre|радостно|开心|嬉しそうに|기쁘게'],
    ['pitch', -1, 'deep|low|sad|serious|tief|triste|grave|грустно|悲伤|悲しく|슬프게'],
    ['range', -1, 'monotone|calm|ruhig|calme|tranquilo|спокойно|平静|穏やかに|차분하게'],
    ['range', 1, 'dramatic|angry|wütend|dramatique|emocionado|сердито|激动|怒って|신나게'],
  ] as const)('%s %i: %s', (parameter, sign, instructions) => {
    for (const instruction of instructions.split('|')) {
      const moved = styleToProsody(instruction, undefined)[parameter] - NEUTRAL[parameter]
      expect({ instruction, sign: Math.sign(moved) }).toEqual({ instruction, sign })
    }
  })
})

test.each([
  ['whisper', true],
  ['a little whispering, please', true],
  ['flüsternd', true],
  ['ささやいて', true],
  ['not whispering', false],
  ['softly', false],
])('%j whispers: %s', (instruction, whispers) => expect(styleToProsody(instruction).whispers).toBe(whispers))

test('modifiers strengthen and weaken', () => {
  const rate = (instruction: string) => styleToProsody(instruction, 1).rate
  expect(rate('very slowly')).toBeLessThan(rate('slowly'))
  expect(rate('a little slowly')).toBeGreaterThan(rate('slowly'))
  expect(rate('非常慢')).toBeLessThan(rate('慢'))
  expect(rate('a bit slower')).toBeLessThan(NEUTRAL.rate)
})

test.each([
  'not too fast',
  "don't speak fast",
  'not in a fast way',
  'nicht schnell',
  'pas trop vite',
  '不要快',
  'без быстро',
])('%j is never faster', (instruction) => expect(styleToProsody(instruction, 1).rate).toBeLessThan(NEUTRAL.rate))

test('a negation reaches one word only', () => {
  expect(styleToProsody('not fast, loud', 1)).toEqual({
    ...styleToProsody('not fast', 1),
    volume: styleToProsody('loud', 1).volume,
  })
})

test('several words combine', () => {
  const { rate, volume } = styleToProsody('slow and loud', 1)
  expect(rate).toBeLessThan(NEUTRAL.rate)
  expect(volume).toBeGreaterThan(NEUTRAL.volume)
})

test('speed multiplies the rate, after the style', () => {
  expect(styleToProsody(undefined, 2).rate).toBe(350)
  expect(styleToProsody('slowly', 1.5).rate).toBe(Math.round((175 / 1.3) * 1.5))
})

test('a pace that eSpeak’s rates do not bring is a multiple of its own', () => {
  expect(styleToProsody(undefined, 1.5).pace).toBeUndefined()
  expect(styleToProsody(undefined, 4)).toMatchObject({ rate: 450, pace: { ownRate: 175, speed: 4 } })
  expect(styleToProsody('slowly', 0.25)).toMatchObject({ rate: 80, pace: { ownRate: 135, speed: 0.25 } })
  expect(styleToProsody(undefined, 0.001).pace?.speed).toBe(0.25)
  expect(styleToProsody('very, very slowly').pace).toBeUndefined()
})

test('whatever is asked for, the parameters stay within eSpeak’s limits and are whole', () => {
  const words = fc.constantFrom(
    'very',
    'not',
    'slow',
    'fast',
    'shout',
    'whisper',
    'high',
    'deep',
    'excited',
    'monotone',
    '大声',
  )
  const instruction = fc.oneof(
    fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(instruction, fc.double({ min: 0.01, max: 100, noNaN: true }), (style, speed) => {
      const { rate, pitch, range, volume } = styleToProsody(style, speed)
      expect([rate, pitch, range, volume].every(Number.isInteger)).toBe(true)
      expect(rate >= 80 && rate <= 450 && pitch >= 0 && pitch <= 99 && range >= 0 && range <= 99).toBe(true)
      expect(volume >= 10 && volume <= 170).toBe(true)
    }),
  )
})
