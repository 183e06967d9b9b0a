import { EngineError } from '../engines/engine.ts'
import { durationMs, parseWav, type Wav } from './wav.ts'

/** Below this (about -54 dB) nobody hears anything. */
const AUDIBLE_PEAK = 64

/**
 * What every rendering must be before it is stored: a WAV file that parses, holds samples and is not silent.
 * @returns its length in milliseconds
 * @throws EngineError RENDER_FAILED
 */
export function checkAudio(bytes: Uint8Array): { readonly durationMs: number } {
  const wav = parse(bytes)
  if (wav.samples.length === 0) throw new EngineError('RENDER_FAILED', 'The audio is empty.')
  if (!wav.samples.some((sample) => Math.abs(sample) >= AUDIBLE_PEAK)) {
    throw new EngineError('RENDER_FAILED', 'The audio is silent.')
  }
  return { durationMs: durationMs(wav) }
}

function parse(bytes: Uint8Array): Wav {
  try {
    return parseWav(bytes)
  } catch (error) {
    throw new EngineError('RENDER_FAILED', 'The audio does not parse.', { cause: error })
  }
}
