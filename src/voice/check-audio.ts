import { durationMs, parseWav, type Wav } from '../audio/wav.ts'
import { BadAudio } from '../engines/engine.ts'
import type { ExpectedSpeech } from './expect-speech.ts'
import { listen } from './timing/sounding-clock.ts'

/** Below this (about -54 dB) nothing is audible. */
const AUDIBLE_PEAK = 64
/** Speech has ended before its last samples: they are not within this share (-34 dB) of its loudest. */
const ENDED_SHARE = 0.02
const ENDED_SECONDS = 0.004
const FRAME_SECONDS = 0.01
/** So many frames of speech are as quiet as its noise. */
const QUIET_FRAMES_SHARE = 0.05
/** Noise at the end may have this many times the peak of those frames. */
const NOISE_RATIO = 2

/** What is known about a rendering besides its bytes. */
interface AudioExpectation {
  /** The expected duration of the speech; absent if the engine is known to say exactly the text. */
  readonly expected?: ExpectedSpeech | undefined
  /** The engine said that it stopped early. */
  readonly truncated?: boolean | undefined
}

/**
 * What every rendering must be before it is stored: a WAV file that parses, is not silent, not truncated, ends when its speech has ended,
 * and sounds as long as its text may take, without the silence around and in it.
 * @returns the audio and its length in milliseconds
 * @throws BadAudio, which is RENDER_FAILED
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

/** Pauses can make speech too long, and never long enough: a swallowed end leaves the same silence. */
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

/** Audio that was cut off is louder at its last samples than in its quietest frames: a voice has its own noise. */
function checkEnd({ samples, sampleRate }: Wav, loudest: number): void {
  const last = peakOf(samples.subarray(-Math.round(ENDED_SECONDS * sampleRate)))
  const noise = quietestOf(samples, Math.round(FRAME_SECONDS * sampleRate))
  if (last > Math.max(loudest * ENDED_SHARE, noise * NOISE_RATIO))
    throw new BadAudio('The audio ends in the middle of a sound.')
}

/** The peak of the frame that only a few others undercut. */
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
