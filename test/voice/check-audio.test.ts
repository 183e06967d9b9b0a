import { describe, expect, test } from 'vitest'
import type { Wav } from '../../src/audio/wav.ts'
import type { EngineError } from '../../src/engines/engine.ts'
import { expectSpeech } from '../../src/voice/estimate-speech.ts'
import { checkAudio } from '../../src/voice/speak-text.ts'

const RATE = 22_050
const heard = (samples: Int16Array): Wav => ({ sampleRate: RATE, channels: 1, samples })
const hum = (seconds: number) => heard(Int16Array.from({ length: seconds * RATE }, (_, i) => (i % 2) * 3000))
/** A hum, and silence after it. */
const begun = (seconds: number, inAll: number) =>
  heard(Int16Array.from({ length: inAll * RATE }, (_, i) => (i < seconds * RATE ? (i % 2) * 3000 : 0)))
const refused = expect.objectContaining({ code: 'RENDER_FAILED' } satisfies Partial<EngineError>)

test('audible audio passes', () => {
  expect(() => checkAudio(hum(1))).not.toThrow()
})

test.each([
  ['empty', heard(new Int16Array(0))],
  ['silent', heard(new Int16Array(5000))],
  ['all but silent', heard(new Int16Array(5000).fill(20))],
])('%s is RENDER_FAILED', (_, audio) => {
  expect(() => checkAudio(audio)).toThrow(refused)
})

test('what the engine calls truncated is RENDER_FAILED', () => {
  expect(() => checkAudio(hum(1), { truncated: true })).toThrow(refused)
})

describe('of a text that sounds for five to twenty seconds', () => {
  const expected = { shortest: 5, longest: 20, longestInAll: 30 }

  test.each([5.1, 10, 19.9])('%d s pass', (seconds) => {
    expect(() => checkAudio(hum(seconds), { expected })).not.toThrow()
  })

  test.each([0.1, 4.9, 20.1, 200])('%d s are RENDER_FAILED', (seconds) => {
    expect(() => checkAudio(hum(seconds), { expected })).toThrow(refused)
  })

  test('silence does not stand in for an end that was swallowed, and may be no longer than three times the speech', () => {
    expect(() => checkAudio(begun(6, 10), { expected })).not.toThrow()
    expect(() => checkAudio(begun(4, 10), { expected })).toThrow(refused)
    expect(() => checkAudio(begun(6, 31), { expected })).toThrow(refused)
  })

  test('what ends in the middle of a sound is RENDER_FAILED; a tone ends as it is', () => {
    const syllables = (end: number) =>
      heard(
        Int16Array.from({ length: 10 * RATE }, (_, i) =>
          i < end * RATE ? Math.round(9000 * Math.sin(i / 9) * Math.abs(Math.sin((i / RATE) * 9))) : 0,
        ),
      )
    expect(() => checkAudio(syllables(9.99), { expected })).not.toThrow()
    expect(() => checkAudio(syllables(10), { expected })).toThrow(refused)
    expect(() => checkAudio(syllables(10))).not.toThrow()
  })
})

test('a single word may take three seconds', () => {
  const expected = expectSpeech('Yes...', { language: 'English' })
  expect(() => checkAudio(hum(2.9), { expected })).not.toThrow()
  expect(() => checkAudio(hum(0.2), { expected })).not.toThrow()
  expect(() => checkAudio(hum(3.1), { expected })).toThrow(refused)
})

test('a speed and a style may be followed or not', () => {
  const text = 'A sentence of about sixty characters should take four seconds.'
  const span = (manner: Partial<Parameters<typeof expectSpeech>[1]>) =>
    expectSpeech(text, { language: 'English', ...manner })
  const own = span({})
  expect(span({ speed: 2 })).toEqual({ ...own, shortest: own.shortest / 2 })
  expect(span({ speed: 0.5 }).shortest).toBe(own.shortest)
  expect(span({ speed: 0.5 }).longest).toBeGreaterThan(own.longest * 2)
  expect(span({ styleInstruction: 'extremely slowly' }).longest).toBeGreaterThan(own.longest * 1.2)
})
