import { durationMs, parseWav, type Wav } from '../audio/wav.ts'
import { BadAudio } from '../engines/engine.ts'
import type { ExpectedSpeech } from './expect-speech.ts'
import { listen } from './timing/sounding-clock.ts'

const AUDIBLE_PEAK = 64
const ENDED_SHARE = 0.02
const ENDED_SECONDS = 0.004
const FRAME_SECONDS = 0.01
const QUIET_FRAMES_SHARE = 0.05
const NOISE_RATIO = 2

interface AudioExpectation {
  readonly expected?: ExpectedSpeech | undefined
  readonly truncated?: boolean | undefined
}

/**
 * Rejects audio that is silent, truncated, cut off, too short or too long.
 * @returns the audio and its length in milliseconds
 * @throws BadAudio
 */
export function checkAudio(
  bytes: Uint8Array,
  { expected, truncated }: AudioExpectation = {},
): { readonly wav: Wav; readonly durationMs: number } {
  const wav = parse(bytes)
  if (wav.samples.length === 0) throw new BadAudio('The audio is empty.')
  const loudest = peakOf(wav.samples)
  if (loudest < AUDIBLE_PEAK) throw new BadAudio('The audio is silent.')
  if (truncated === true) throw new BadAudio('The engine stopped before the text ended.')
  if (expected !== undefined) {
    checkLength(wav, expected)
    checkEnd(wav, loudest)
  }
  return { wav, durationMs: durationMs(wav) }
}

/** Only the sound counts against the shortest length: silence can hide a swallowed end. */
function checkLength(wav: Wav, { shortest, longest, longestInAll }: ExpectedSpeech): void {
  const clock = listen(wav)
  const sounding = clock.soundingAt(clock.speech.to) / wav.sampleRate
  const inAll = durationMs(wav) / 1000
  if (sounding < shortest) throw new BadAudio(tooMuch(sounding, 'short', shortest))
  if (sounding > longest) throw new BadAudio(tooMuch(sounding, 'long', longest))
  if (inAll > longestInAll) throw new BadAudio(tooMuch(inAll, 'long', longestInAll))
}

const tooMuch = (seconds: number, what: 'short' | 'long', limit: number): string =>
  `The audio takes ${seconds.toFixed(1)} s, which is too ${what} for its text: ${limit.toFixed(1)} s is the limit.`

function checkEnd({ samples, sampleRate }: Wav, loudest: number): void {
  const last = peakOf(samples.subarray(-Math.round(ENDED_SECONDS * sampleRate)))
  const noise = quietestOf(samples, Math.round(FRAME_SECONDS * sampleRate))
  if (last > Math.max(loudest * ENDED_SHARE, noise * NOISE_RATIO))
    throw new BadAudio('The audio ends in the middle of a sound.')
}

function quietestOf(samples: Int16Array, frame: number): number {
  const peaks = Array.from({ length: Math.floor(samples.length / frame) }, (_, at) =>
    peakOf(samples.subarray(at * frame, (at + 1) * frame)),
  ).sort((a, b) => a - b)
  return peaks[Math.floor(peaks.length * QUIET_FRAMES_SHARE)] ?? 0
}

function peakOf(samples: Int16Array): number {
  let peak = 0
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  return peak
}

function parse(bytes: Uint8Array): Wav {
  try {
    return parseWav(bytes)
  } catch (error) {
    throw new BadAudio(`The audio does not parse: ${(error as Error).message}`, { cause: error })
  }
}
