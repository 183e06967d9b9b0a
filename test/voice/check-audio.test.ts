import { describe, expect, test } from 'vitest'
import { writeWav } from '../../src/audio/wav.ts'
import type { EngineError } from '../../src/engines/engine.ts'
import { expectSpeech } from '../../src/voice/estimate-speech.ts'
import { checkAudio } from '../../src/voice/speak-text.ts'

const RATE = 22_050
const hum = (seconds: number) =>
  writeWav(
    Int16Array.from({ length: seconds * RATE }, (_, i) => (i % 2) * 3000),
    RATE,
  )
/** A hum, and silence after it. */
const begun = (seconds: number, inAll: number) =>
  writeWav(
    Int16Array.from({ length: inAll * RATE }, (_, i) => (i < seconds * RATE ? (i % 2) * 3000 : 0)),
    RATE,
  )
const refused = expect.objectContaining({ code: 'RENDER_FAILED' } satisfies Partial<EngineError>)

test('audible audio passes, with its duration', () => {
  expect(checkAudio(hum(1)).durationMs).toBe(1000)
})

test.each([
  ['empty', writeWav(new Int16Array(0), RATE)],
  ['silent', writeWav(new Int16Array(5000), RATE)],
  ['all but silent', writeWav(new Int16Array(5000).fill(20), RATE)],
  ['no audio at all', new TextEncoder().encode('{"error": "busy"}')],
  ['cut off', hum(1).subarray(0, 5000)],
])('%s is RENDER_FAILED', (_, bytes) => {
  expect(() => checkAudio(bytes)).toThrow(refused)
})

test('what the engine calls truncated is RENDER_FAILED', () => {
  expect(() => checkAudio(hum(1), { truncated: true })).toThrow(refused)
})

describe('of a text that sounds for five to twenty seconds', () => {
  const expected = { shortest: 5, longest: 20, longestInAll: 30 }

  test.each([5.1, 10, 19.9])('%d s pass', (seconds) => {
    expect(checkAudio(hum(seconds), { expected }).durationMs).toBe(seconds * 1000)
  })

  test.each([0.1, 4.9, 20.1, 200])('%d s are RENDER_FAILED', (seconds) => {
    expect(() => checkAudio(hum(seconds), { expected })).toThrow(refused)
  })

  test('silence does not stand in for an end that was swallowed, and may be no longer than three times the speech', () => {
    expect(checkAudio(begun(6, 10), { expected }).durationMs).toBe(10_000)
    expect(() => checkAudio(begun(4, 10), { expected })).toThrow(refused)
    expect(() => checkAudio(begun(6, 31), { expected })).toThrow(refused)
  })

  test('what ends in the middle of a sound is RENDER_FAILED; a tone ends as it is', () => {
    const syllables = (end: number) =>
      writeWav(
        Int16Array.from({ length: 10 * RATE }, (_, i) =>
          i < end * RATE ? Math.round(9000 * Math.sin(i / 9) * Math.abs(Math.sin((i / RATE) * 9))) : 0,
        ),
        RATE,
      )
    expect(checkAudio(syllables(9.99), { expected }).durationMs).toBe(10_000)
    expect(() => checkAudio(syllables(10), { expected })).toThrow(refused)
    expect(checkAudio(syllables(10)).durationMs).toBe(10_000)
  })
})

test('a single word may take three seconds', () => {
  const expected = expectSpeech('Yes...', { language: 'English' })
  expect(checkAudio(hum(2.9), { expected }).durationMs).toBe(2900)
  expect(checkAudio(hum(0.2), { expected }).durationMs).toBe(200)
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
