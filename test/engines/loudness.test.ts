import { describe, expect, test } from 'vitest'
import { gainOf, integratedLufs, measureLoudness } from '../../src/engines/loudness.ts'
import { applyGain } from '../../src/voice/join.ts'

const tone = (rate: number, hz: number, seconds: number, amplitude: number, phase = 0) =>
  Int16Array.from({ length: rate * seconds }, (_, at) =>
    Math.round(amplitude * 32_767 * Math.sin((2 * Math.PI * hz * at) / rate + phase)),
  )
const lufs = (samples: Int16Array, rate: number) => integratedLufs(measureLoudness(samples, rate).blocks)
const dbtp = (samples: Int16Array) => 20 * Math.log10(measureLoudness(samples, 22_050).truePeak)

describe('the loudness meter is that of ITU-R BS.1770', () => {
  test.each([48_000, 22_050])('a full-scale tone of 997 Hz has -3.01 LUFS at %i Hz', (rate) => {
    expect(lufs(tone(rate, 997, 3, 1), rate)).toBeCloseTo(-3.01, 1)
  })

  test('silence is gated: what is said has the same loudness with pauses', () => {
    const spoken = tone(22_050, 997, 4, 0.1)
    const paused = new Int16Array(spoken.length * 3)
    paused.set(spoken)
    expect(Math.abs(lufs(paused, 22_050) - lufs(spoken, 22_050))).toBeLessThan(0.4)
    expect(lufs(new Int16Array(22_050), 22_050)).toBe(Number.NEGATIVE_INFINITY)
  })

  test('the true peak is between the samples, too', () => {
    // A quarter of the sampling rate, half a sample away from its crests: every sample is 3 dB below them.
    const sine = tone(22_050, 22_050 / 4, 1, 0.5, Math.PI / 4)
    expect(Math.max(...sine) / 32_767).toBeLessThan(0.36)
    expect(dbtp(sine)).toBeCloseTo(20 * Math.log10(0.5), 0)
  })
})

describe('the gain', () => {
  const measured = (samples: Int16Array, target = -19) => ({ ...measureLoudness(samples, 22_050), target })

  test('brings parts to their target together, by one factor', () => {
    const [quiet, loud] = [tone(22_050, 500, 2, 0.02), tone(22_050, 500, 2, 0.04)]
    const gain = gainOf([measured(quiet), measured(loud)])
    const both = [quiet, loud].flatMap((part) => [...applyGain(part, 22_050, gain)])
    expect(lufs(Int16Array.from(both), 22_050)).toBeCloseTo(-19, 0)
    expect(gainOf([measured(quiet)]) / gainOf([measured(loud)])).toBeCloseTo(2, 1)
  })

  test('leaves silence alone, and does not lift what is nearly silent', () => {
    expect(gainOf([measured(new Int16Array(10_000))])).toBe(1)
    expect(gainOf([measured(tone(22_050, 500, 1, 0.001))])).toBeLessThanOrEqual(10)
    expect(gainOf([])).toBe(1)
  })

  test('is the same for a long recording as for its parts', () => {
    const samples = tone(22_050, 300, 4, 0.1)
    for (const gain of [1.8, 0.3]) {
      const parts = [samples.subarray(0, 44_100), samples.subarray(44_100)].flatMap((part) => [
        ...applyGain(part, 22_050, gain),
      ])
      expect(Int16Array.from(parts)).toEqual(applyGain(samples, 22_050, gain))
    }
  })

  test('turns single peaks down to -1 dBTP and leaves everything else', () => {
    const samples = tone(22_050, 300, 2, 0.1)
    for (const at of [5000, 5001, 20_000, 44_000]) samples[at] = 30_000
    const louder = applyGain(samples, 22_050, 1.8)
    expect(dbtp(louder)).toBeLessThanOrEqual(-1)
    expect([...louder.slice(10_000, 10_050)]).toEqual(
      [...samples.slice(10_000, 10_050)].map((one) => Math.round(one * 1.8)),
    )
  })
})
