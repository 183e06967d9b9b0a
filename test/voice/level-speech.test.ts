import { describe, expect, test } from 'vitest'
import type { Wav } from '../../src/audio/wav.ts'
import { integratedLufs, measureLoudness } from '../../src/engines/loudness.ts'
import { levelSpeech } from '../../src/voice/join.ts'

/** Syllables at four a second under a falling pitch: peaks 12 dB above its loudness, and pauses. */
const speech = (sampleRate: number, seconds: number, amplitude: number): Wav => ({
  sampleRate,
  channels: 1,
  samples: Int16Array.from({ length: sampleRate * seconds }, (_, at) => {
    const time = at / sampleRate
    const isPause = time % 3 > 2.5
    const level = isPause ? 0 : Math.max(0, Math.sin(2 * Math.PI * 2 * time)) ** 4
    const phase = 2 * Math.PI * (180 * time - 8 * time * (time % 1))
    const voice = Math.sin(phase) + 0.6 * Math.sin(3 * phase) + 0.3 * Math.sin(7 * phase)
    return Math.max(-32_768, Math.min(32_767, Math.round(32_768 * amplitude * level * voice)))
  }),
})
const lufs = ({ samples, sampleRate }: Wav) => integratedLufs(measureLoudness(samples, sampleRate).blocks)
const dbtp = ({ samples, sampleRate }: Wav) => 20 * Math.log10(measureLoudness(samples, sampleRate).truePeak)

describe('speech becomes as loud as all voices, within 1 LU, and no peak is above -1 dBTP', () => {
  test.each([8000, 24_000, 48_000])('however loud it is, at %i Hz', (rate) => {
    for (const amplitude of [0.004, 0.02, 0.1, 0.5, 2, 8]) {
      const levelled = levelSpeech(speech(rate, 6, amplitude))
      expect(Math.abs(lufs(levelled) + 19)).toBeLessThan(1)
      expect(dbtp(levelled)).toBeLessThanOrEqual(-1)
    }
  })

  test('at -52.8 LUFS, with a click at full scale among it', () => {
    const quiet = speech(24_000, 6, 0.0065)
    expect(lufs(quiet)).toBeLessThan(-48)
    quiet.samples[50_000] = 32_767
    const levelled = levelSpeech(quiet)
    expect(Math.abs(lufs(levelled) + 19)).toBeLessThan(1)
    expect(dbtp(levelled)).toBeLessThanOrEqual(-1)
  })
})

test('what is no speech is made no noise, and silence stays silence', () => {
  const hiss = {
    ...speech(24_000, 2, 0),
    samples: Int16Array.from({ length: 48_000 }, (_, at) => ((at * 7919) % 41) - 20),
  }
  expect(lufs(levelSpeech(hiss))).toBeLessThan(-40)
  const silence = speech(24_000, 2, 0)
  expect(levelSpeech(silence)).toBe(silence)
})
