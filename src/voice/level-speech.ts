import type { Wav } from '../audio/wav.ts'
import { integratedLufs, measureLoudness, NORMAL_LUFS } from '../engines/loudness.ts'
import { HIGHEST_PEAK } from '../engines/true-peak.ts'
import { withGain } from './join.ts'

const AUDIBLE_PEAK = 64 / 32_768
const HIGHEST_GAIN = 10 ** (43 / 20)
const HIGHEST_GAIN_OF_SILENCE = 10
const CLOSE_DB = 0.3
const TELLING_LIMIT = 10 ** (2 / 20)
const MOST_TRIES = 4

/** Brings speech to the common loudness with peaks below -1 dBTP; copies only if something changes. Pure. */
export function levelSpeech(wav: Wav): Wav {
  const { blocks, truePeak } = measureLoudness(wav.samples, wav.sampleRate)
  const highest = truePeak < AUDIBLE_PEAK ? HIGHEST_GAIN_OF_SILENCE : HIGHEST_GAIN
  let gain = gainTo(integratedLufs(blocks), highest)
  let levelled = withGain(wav, gain)
  for (let tries = 0; tries < MOST_TRIES && gain * truePeak > TELLING_LIMIT * HIGHEST_PEAK; tries++) {
    const lufs = integratedLufs(measureLoudness(levelled.samples, wav.sampleRate).blocks)
    const next = Math.min(gain * gainTo(lufs, highest), highest)
    if (Math.abs(20 * Math.log10(next / gain)) < CLOSE_DB) break
    gain = next
    levelled = withGain(wav, gain)
  }
  return levelled
}

const gainTo = (lufs: number, highest: number): number =>
  lufs === Number.NEGATIVE_INFINITY ? 1 : Math.min(10 ** ((NORMAL_LUFS - lufs) / 20), highest)
