import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stretch } from '../../../src/engines/espeak/stretch.ts'
import { measureVoice } from '../../setup/speech/measure-voice.ts'

const RATE = 22_050

/** A tone of 120 Hz with overtones, and a louder stretch from `from` to `to` seconds. */
const tone = (seconds: number, from: number, to: number): Int16Array =>
  Int16Array.from({ length: Math.round(seconds * RATE) }, (_, at) => {
    const time = at / RATE
    const wave = Math.sin(2 * Math.PI * 120 * time) + 0.5 * Math.sin(2 * Math.PI * 360 * time)
    return Math.round((time >= from && time < to ? 12_000 : 1500) * wave * 0.6)
  })

test.each([0.4, 0.5, 0.8, 1.3, 2, 2.6])('%d times as fast keeps pitch, loudness and where things are', (factor) => {
  const samples = tone(2, 1, 1.5)
  const stretched = stretch(samples, RATE, factor)
  const pitchHz = (of: Int16Array) => measureVoice({ samples: of, sampleRate: RATE, channels: 1 }).pitchHz
  expect(Math.abs(pitchHz(stretched) / pitchHz(samples) - 1)).toBeLessThan(0.02)
  const peak = (of: Int16Array) => of.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  expect(Math.abs(peak(stretched) / peak(samples) - 1)).toBeLessThan(0.02)
  const loudFrom = stretched.findIndex((sample) => Math.abs(sample) > 3000) / RATE
  const loudTo = stretched.findLastIndex((sample) => Math.abs(sample) > 3000) / RATE
  const lenient = 0.005 + (0.009 + 0.015 * Math.abs(1 - factor)) / factor
  expect(Math.abs(loudFrom - 1 / factor)).toBeLessThan(lenient)
  expect(Math.abs(loudTo - 1.5 / factor)).toBeLessThan(lenient)
})

test('any samples become as many as the factor says, and never louder', () => {
  const samples = fc.int16Array({ maxLength: 3000 })
  fc.assert(
    fc.property(samples, fc.double({ min: 0.3, max: 3, noNaN: true }), (given, factor) => {
      const stretched = stretch(given, RATE, factor)
      expect(stretched.length).toBe(Math.round(given.length / factor))
      const [least, most] = [Math.min(0, ...given), Math.max(0, ...given)]
      expect(stretched.every((sample) => sample >= least && sample <= most)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('silence stays silent', () => {
  expect(stretch(new Int16Array(5000), RATE, 0.5)).toEqual(new Int16Array(10_000))
})
