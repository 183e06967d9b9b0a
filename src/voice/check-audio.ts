import { durationMs, parseWav, type Wav } from '../audio/wav.ts'
import { BadAudio } from '../engines/engine.ts'

/** Below this (about -54 dB) nothing is audible. */
const AUDIBLE_PEAK = 64
/** How far a rendering may be from what its text should take: models speak gibberish for minutes, or swallow the end. */
const SHORTEST_RATIO = 0.3
const LONGEST_RATIO = 3
/** A single word may well be drawn out and come with silence around it. */
const SHORT_TEXT_SECONDS = 1

/** What is known about a rendering besides its bytes. */
interface AudioExpectation {
  /** What the text should take to speak; absent where the engine is known to say exactly the text. */
  readonly expectedSeconds?: number | undefined
  /** The engine said that it stopped early. */
  readonly truncated?: boolean | undefined
}

/**
 * What every rendering must be before it is stored: a WAV file that parses, is not silent, not truncated, and takes between 0.3 and 3
 * times as long as its text should, without the silence around it at the lower end.
 * @returns the audio and its length in milliseconds
 * @throws BadAudio, which is RENDER_FAILED
 */
export function checkAudio(
  bytes: Uint8Array,
  { expectedSeconds, truncated }: AudioExpectation = {},
): { readonly wav: Wav; readonly durationMs: number } {
  const wav = parse(bytes)
  if (wav.samples.length === 0) throw new BadAudio('The audio is empty.')
  const sounding = soundingSeconds(wav)
  if (sounding === 0) throw new BadAudio('The audio is silent.')
  if (truncated === true) throw new BadAudio('The engine stopped before the text ended.')
  const duration = durationMs(wav)
  if (expectedSeconds !== undefined) checkDuration({ seconds: duration / 1000, sounding }, expectedSeconds)
  return { wav, durationMs: duration }
}

/** Silence around the speech can make it too long, and never long enough: a swallowed end leaves the same silence. */
function checkDuration({ seconds, sounding }: { seconds: number; sounding: number }, expected: number): void {
  const text = `for a text of about ${expected.toFixed(1)} s.`
  if (sounding < expected * SHORTEST_RATIO) {
    throw new BadAudio(`The audio speaks for ${sounding.toFixed(1)} s, which is too short ${text}`)
  }
  if (seconds > Math.max(expected, SHORT_TEXT_SECONDS) * LONGEST_RATIO) {
    throw new BadAudio(`The audio takes ${seconds.toFixed(1)} s, which is too long ${text}`)
  }
}

/** From the first audible sample to the last. */
function soundingSeconds({ samples, sampleRate }: Wav): number {
  const isAudible = (sample: number) => Math.abs(sample) >= AUDIBLE_PEAK
  const first = samples.findIndex(isAudible)
  return first < 0 ? 0 : (samples.findLastIndex(isAudible) + 1 - first) / sampleRate
}

function parse(bytes: Uint8Array): Wav {
  try {
    return parseWav(bytes)
  } catch (error) {
    throw new BadAudio(`The audio does not parse: ${(error as Error).message}`, { cause: error })
  }
}
