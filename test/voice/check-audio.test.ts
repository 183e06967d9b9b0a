import { describe, expect, test } from 'vitest'
import { writeWav } from '../../src/audio/wav.ts'
import type { EngineError } from '../../src/engines/engine.ts'
import { checkAudio } from '../../src/voice/check-audio.ts'

const RATE = 22_050
const hum = (seconds: number) =>
  writeWav(
    Int16Array.from({ length: seconds * RATE }, (_, i) => (i % 2) * 3000),
    RATE,
  )
/** A hum, and silence up to ten seconds. */
const begun = (seconds: number) =>
  writeWav(
    Int16Array.from({ length: 10 * RATE }, (_, i) => (i < seconds * RATE ? (i % 2) * 3000 : 0)),
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

describe('of a text that should take ten seconds', () => {
  test.each([3.1, 10, 29])('%d s pass', (seconds) => {
    expect(checkAudio(hum(seconds), { expectedSeconds: 10 }).durationMs).toBe(seconds * 1000)
  })

  test.each([0.1, 2.9, 31, 200])('%d s are RENDER_FAILED', (seconds) => {
    expect(() => checkAudio(hum(seconds), { expectedSeconds: 10 })).toThrow(refused)
  })
})

test('silence does not stand in for an end that was swallowed', () => {
  expect(checkAudio(begun(4), { expectedSeconds: 10 }).durationMs).toBe(10_000)
  expect(() => checkAudio(begun(2), { expectedSeconds: 10 })).toThrow(refused)
})

test('a single word may take three seconds', () => {
  expect(checkAudio(hum(2.9), { expectedSeconds: 0.3 }).durationMs).toBe(2900)
  expect(() => checkAudio(hum(3.1), { expectedSeconds: 0.3 })).toThrow(refused)
})
