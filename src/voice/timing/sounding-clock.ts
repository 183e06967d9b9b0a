import type { Wav } from '../../audio/wav.ts'

/** A stretch of audio in samples. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const FRAME_MS = 10
/** Shorter silence belongs to a consonant, or is what is left of a pause where speech is fast. */
const LEAST_GAP_MS = 120
const LEAST_REST_MS = 40
/** Engines' clocks are right within 50 ms. */
const SLACK_FRAMES = 5
/** About -48 dB; engines leave noise where they are silent, and more of it where they are loud. */
const SILENT_PEAK = 128
const SILENT_SHARE = 0.02

/** Counts the samples of a rendering in which something is heard: words are spread over those. */
export class SoundingClock {
  /** Silence within the speech, long enough to be heard. */
  readonly gaps: readonly Stretch[]
  /** From the first sound to the last. */
  readonly speech: Stretch

  /** How far behind a pause a word may begin that the engine's clock says begins right after it. */
  readonly slack: number

  /** All silence, however short: it counts where a word is known to begin with its end. */
  readonly #rests: readonly Stretch[]

  constructor(speech: Stretch, gaps: readonly Stretch[], slack = 0, rests = gaps) {
    this.speech = speech
    this.gaps = gaps
    this.slack = slack
    this.#rests = rests
  }

  /** How many sounding samples there are before one. */
  soundingAt(sample: number): number {
    let silent = 0
    for (const { from, to } of this.gaps) silent += Math.max(0, Math.min(sample, to) - from)
    return Math.min(sample, this.speech.to) - this.speech.from - silent
  }

  /** Where the sound ends that comes before what begins at a sample: in front of a pause there, if there is one. */
  endBefore(sample: number): number {
    const pause = this.gaps.find(({ from, to }) => from < sample && sample <= to + this.slack)
    const rest = pause ?? this.#rests.find(({ from, to }) => from < sample && sample <= to + this.slack / SLACK_FRAMES)
    return rest?.from ?? sample
  }

  /** Where that is heard first which an engine's clock says begins at a sample: behind the silence there, if there is any. */
  onsetAfter(sample: number): number {
    const pause = this.gaps.find(({ from, to }) => from <= sample && sample < to)
    return Math.max(this.speech.from, pause?.to ?? sample)
  }

  /** A part of the same sound, with the silence that lies within it. */
  within({ from, to }: Stretch): SoundingClock {
    const inner = this.gaps.filter((gap) => gap.from > from && gap.to < to)
    return new SoundingClock({ from, to }, inner, this.slack, this.#rests)
  }

  /** Where so much has sounded: before a gap that is there. */
  endOf(sounding: number): number {
    let at = this.speech.from + sounding
    for (const { from, to } of this.gaps) if (from < at) at += to - from
    return Math.min(at, this.speech.to)
  }

  /** Where what sounds next begins: after a gap that is there. */
  startAfter(sounding: number): number {
    let at = this.speech.from + sounding
    for (const { from, to } of this.gaps) if (from <= at) at += to - from
    return Math.min(at, this.speech.to)
  }
}

/** What sounds in samples as they are. Pure. */
export function listen({ samples, sampleRate }: Pick<Wav, 'samples' | 'sampleRate'>): SoundingClock {
  const frame = Math.max(1, Math.round((FRAME_MS * sampleRate) / 1000))
  const peaks = peaksOf(samples, frame)
  const loudest = peaks.reduce((most, peak) => Math.max(most, peak), 0)
  const isLoud = (peak: number): boolean => peak >= Math.max(SILENT_PEAK, loudest * SILENT_SHARE)
  const first = peaks.findIndex(isLoud)
  if (first < 0) return new SoundingClock({ from: 0, to: samples.length }, [])
  const last = peaks.findLastIndex(isLoud)
  const rests: Stretch[] = []
  let before = first
  for (let at = first; at <= last; at++) {
    if (!isLoud(peaks[at]!)) continue
    if ((at - before - 1) * FRAME_MS >= LEAST_REST_MS) rests.push({ from: (before + 1) * frame, to: at * frame })
    before = at
  }
  const speech = { from: first * frame, to: Math.min(samples.length, (last + 1) * frame) }
  const gaps = rests.filter(({ from, to }) => to - from >= (LEAST_GAP_MS / FRAME_MS) * frame)
  return new SoundingClock(speech, gaps, SLACK_FRAMES * frame, rests)
}

function peaksOf(samples: Int16Array, frame: number): Int32Array {
  const peaks = new Int32Array(Math.ceil(samples.length / frame))
  for (let at = 0, index = 0; at < samples.length; index++) {
    let peak = 0
    for (const end = Math.min(samples.length, at + frame); at < end; at++) peak = Math.max(peak, Math.abs(samples[at]!))
    peaks[index] = peak
  }
  return peaks
}
