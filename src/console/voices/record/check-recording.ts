import { decibels, levelsOf, percentile } from './levels.ts'

/** One thing that was found in a recording. Only an error keeps it from being used. */
interface Finding {
  readonly kind: 'good' | 'warning' | 'error'
  readonly found: string
  /** Empty where nothing is to be done. */
  readonly advice: string
}

export interface Checked {
  /** Without the silence at both ends. */
  readonly samples: Float32Array<ArrayBuffer>
  readonly seconds: number
  readonly findings: readonly Finding[]
}

/** The service takes recordings of these lengths. */
const MIN_SECONDS = 1
const MAX_SECONDS = 30
/** A shorter one makes a voice, but a poor one. */
const GOOD_SECONDS = 15
/** Headsets with a wireless link often send no more than a telephone does. */
const TELEPHONE_RATE = 24_000
/** The service takes a recording whose peak is lower for silence. */
const SILENT_PEAK_DB = -40
const QUIET_SPEECH_DB = -36
/** Full scale of 16 bits. */
const FULL = 32_767 / 32_768
/** The service refuses more clipped samples than this share. */
const CLIPPED_SHARE = 0.005
const SOME_CLIPPED_SHARE = 0.0002
/** How far speech stands above the noise in its pauses. */
const NOISY_DB = 20
const FAIRLY_NOISY_DB = 30
/** This much of the silence stays in front of the first word and behind the last one. */
const EDGE_SECONDS = 0.1

/** Trims a recording and says what is good or wrong with it. @param samples from -1 to 1 */
export function checkRecording(samples: Float32Array, sampleRate: number): Checked {
  const levels = levelsOf(samples, sampleRate)
  // Speech has pauses, so its quiet tenth is the room.
  const noise = percentile(levels, 0.1)
  const from = noise + (Math.max(noise, ...levels) - noise) / 3
  const kept = trimmed(samples, sampleRate, { levels, from })
  const speech = percentile(levelsOf(kept, sampleRate), 0.9)
  const seconds = kept.length / sampleRate
  const peak = decibels(peakOf(samples))
  if (peak < SILENT_PEAK_DB) return { samples: kept, seconds, findings: [NOTHING_HEARD] }
  const findings = [
    lengthFinding(seconds),
    clippingFinding(kept),
    loudnessFinding(speech),
    noiseFinding(speech - noise),
    ...(sampleRate < TELEPHONE_RATE ? [DULL] : []),
  ]
  return { samples: kept, seconds, findings }
}

const NOTHING_HEARD: Finding = {
  kind: 'error',
  found: 'Nothing was heard.',
  advice: 'Check that the right microphone is chosen and not muted, and record it again.',
}

const DULL: Finding = {
  kind: 'warning',
  found: 'The microphone sounds like a telephone.',
  advice: 'Better: use one with a cable, or the one of this computer.',
}

export const hasError = ({ findings }: Checked): boolean => findings.some(({ kind }) => kind === 'error')

/** From the first frame to the last one that is louder than `from`, in decibels. */
function trimmed(
  samples: Float32Array,
  sampleRate: number,
  { levels, from }: { readonly levels: readonly number[]; readonly from: number },
): Float32Array<ArrayBuffer> {
  const isHeard = (level: number) => level >= from
  const frame = samples.length / Math.max(1, levels.length)
  const edge = EDGE_SECONDS * sampleRate
  const start = Math.max(0, Math.floor(levels.findIndex(isHeard) * frame - edge))
  const end = Math.ceil((levels.findLastIndex(isHeard) + 1) * frame + edge)
  return new Float32Array(samples.slice(start, end))
}

function lengthFinding(seconds: number): Finding {
  const lasts = `It lasts ${seconds.toFixed(1)} seconds.`
  if (seconds < MIN_SECONDS) return { kind: 'error', found: lasts, advice: 'Record at least ten seconds.' }
  if (seconds > MAX_SECONDS)
    return { kind: 'error', found: lasts, advice: 'At most 30 can be used: record it again and read a little faster.' }
  if (seconds < GOOD_SECONDS)
    return {
      kind: 'warning',
      found: lasts,
      advice: 'A voice gets better with 20 to 30. Cut the transcript down to what you read.',
    }
  return { kind: 'good', found: lasts, advice: '' }
}

function clippingFinding(samples: Float32Array): Finding {
  const share = samples.reduce((sum, sample) => sum + Number(Math.abs(sample) >= FULL), 0) / Math.max(1, samples.length)
  if (share > CLIPPED_SHARE)
    return {
      kind: 'error',
      found: 'It is too loud: the voice is cut off at its loudest places.',
      advice: 'Move away from the microphone or turn its level down, and record it again.',
    }
  if (share > SOME_CLIPPED_SHARE)
    return {
      kind: 'warning',
      found: 'A few places are too loud.',
      advice: 'Better: move away from the microphone a little, and record it again.',
    }
  return { kind: 'good', found: 'Nothing is cut off by loudness.', advice: '' }
}

const loudnessFinding = (speech: number): Finding =>
  speech < QUIET_SPEECH_DB
    ? {
        kind: 'warning',
        found: 'It is quiet.',
        advice: 'Better: move closer to the microphone or turn its level up, and record it again.',
      }
    : { kind: 'good', found: 'It is loud enough.', advice: '' }

function noiseFinding(above: number): Finding {
  const figure = `the voice is ${Math.round(above)} dB above it`
  if (above >= FAIRLY_NOISY_DB) return { kind: 'good', found: `The room is quiet: ${figure}.`, advice: '' }
  return {
    kind: 'warning',
    found: `The room ${above < NOISY_DB ? 'is loud' : 'is heard'}: ${figure}.`,
    advice: 'Better: close the window, turn off fans, move closer to the microphone, and record it again.',
  }
}

const peakOf = (samples: Float32Array): number => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
