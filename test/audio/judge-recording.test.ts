import { describe, expect, test } from 'vitest'
import { judgeRecording } from '../../src/audio/read-recording.ts'
import type { Wav } from '../../src/audio/wav.ts'
import { sweep } from '../setup/speech/sound.ts'

const RATE = 16_000
const wavOf = (...parts: Int16Array[]): Wav => {
  const samples = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part, at)
    at += part.length
  }
  return { sampleRate: RATE, channels: 1, samples }
}
const silence = (seconds: number) => new Int16Array(Math.round(seconds * RATE))
const tone = (seconds: number, gain = 1) =>
  sweep(seconds, RATE).samples.map((sample) => Math.max(-32_768, Math.min(32_767, gain * sample)))
const secondsOf = (judged: ReturnType<typeof judgeRecording>) =>
  'wav' in judged ? judged.wav.samples.length / judged.wav.sampleRate : judged.violation

describe('judgeRecording', () => {
  test('silence at the ends is cut to a tenth of a second, whatever stands between stays', () => {
    const judged = judgeRecording(wavOf(silence(3), tone(2), silence(1), tone(1), silence(2)))
    expect(secondsOf(judged)).toBeCloseTo(4.2, 1)
  })

  test('silence beside a constant voltage is cut as well, and a clipped wave is clipped with one', () => {
    const { samples, ...rest } = wavOf(silence(40), tone(2), silence(40))
    const judged = judgeRecording({ ...rest, samples: samples.map((sample) => sample + 1500) })
    expect(secondsOf(judged)).toBeCloseTo(2.2, 1)
    const clipped = tone(2, 8).map((sample) => Math.min(32_767, sample + 1500))
    expect(secondsOf(judgeRecording(wavOf(clipped)))).toMatch(/^is clipped/)
  })

  test('a recording of 1 s and one of 30 s pass, also with silence around them', () => {
    for (const seconds of [1, 30]) {
      expect(secondsOf(judgeRecording(wavOf(tone(seconds))))).toBeCloseTo(seconds, 2)
      expect(secondsOf(judgeRecording(wavOf(silence(5), tone(seconds), silence(5))))).toBeLessThanOrEqual(30)
    }
  })

  test.each([0.5, 30.5])('a recording of %d s is refused with its length', (seconds) => {
    expect(secondsOf(judgeRecording(wavOf(silence(1), tone(seconds), silence(1))))).toMatch(
      /^must last 1 to 30 seconds .* it lasts (0\.7|30\.5)$/,
    )
  })

  test('silence, room noise and no sample at all are silent', () => {
    const noise = Int16Array.from({ length: 2 * RATE }, (_, at) => ((at * 7919) % 401) - 200)
    const shifted = [silence(2), noise].map((samples) => samples.map((sample) => sample + 2000))
    for (const samples of [silence(2), noise, silence(0), ...shifted])
      expect(judgeRecording(wavOf(samples))).toEqual({ violation: 'is silent' })
  })

  test('a wave that was cut off is clipped; one that only reaches full scale, or has a few bad peaks, is not', () => {
    expect(secondsOf(judgeRecording(wavOf(tone(2, 8))))).toMatch(/^is clipped/)
    expect(secondsOf(judgeRecording(wavOf(tone(2, 3.64))))).toBeCloseTo(2, 1)
    const few = tone(2)
    few.fill(32_767, 5000, 5010)
    expect(secondsOf(judgeRecording(wavOf(few)))).toBeCloseTo(2, 1)
  })
})
