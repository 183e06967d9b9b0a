import type { Wav } from '../../audio/wav.ts'

/** Samples. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const FRAME_MS = 10
const LEAST_GAP_MS = 120
const LEAST_REST_MS = 40
const SLACK_FRAMES = 5
const SILENT_PEAK = 128
const SILENT_SHARE = 0.02

/** Counts only audible samples of a rendering. `gaps` are audible pauses, `speech` spans the first to the last sound. */
export class SoundingClock {
  readonly gaps: readonly Stretch[]
  readonly speech: Stretch

  /** Tolerance, in samples, of an engine's word marks behind a pause. */
  readonly slack: number

  readonly #rests: readonly Stretch[]

  constructor(speech: Stretch, gaps: readonly Stretch[], slack = 0, rests = gaps) {
    this.speech = speech
    this.gaps = gaps
    this.slack = slack
    this.#rests = rests
  }

  soundingAt(sample: number): number {
    let silent = 0
    for (const { from, to } of this.gaps) silent += Math.max(0, Math.min(sample, to) - from)
    return Math.min(sample, this.speech.to) - this.speech.from - silent
  }

  /** Returns the end of the sound before a sample, in front of a pause. */
  endBefore(sample: number): number {
    const pause = this.gaps.find(({ from, to }) => from < sample && sample <= to + this.slack)
    const rest = pause ?? this.#rests.find(({ from, to }) => from < sample && sample <= to + this.slack / SLACK_FRAMES)
    return rest?.from ?? sample
  }

  /** Returns the first sound at or after a sample, behind a pause. */
  onsetAfter(sample: number): number {
    const pause = this.gaps.find(({ from, to }) => from <= sample && sample < to)
    return Math.max(this.speech.from, pause?.to ?? sample)
  }

  within({ from, to }: Stretch): SoundingClock {
    const inner = this.gaps.filter((gap) => gap.from > from && gap.to < to)
    return new SoundingClock({ from, to }, inner, this.slack, this.#rests)
  }

  endOf(sounding: number): number {
    let at = this.speech.from + sounding
    for (const { from, to } of this.gaps) if (from < at) at += to - from
    return Math.min(at, this.speech.to)
  }

  startAfter(sounding: number): number {
    let at = this.speech.from + sounding
    for (const { from, to } of this.gaps) if (from <= at) at += to - from
    return Math.min(at, this.speech.to)
  }
}

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
