import { type Wav, writeWav } from '../audio/wav.ts'
import { BadAudio } from '../engines/engine.ts'
import {
  FULL_SCALE,
  HIGHEST_PEAK,
  integratedLufs,
  measureLoudness,
  NEAR_PEAK,
  NORMAL_LUFS,
  peakNear,
} from '../engines/loudness.ts'
import type { Pause } from './split.ts'

const EDGE_SILENCE_MS = 60
/** Some players cut the last word off without this silence. */
const TAIL_SILENCE_MS = 100
const FADE_MS = 10
export const PAUSE_MS: Readonly<Record<Pause, number>> = { paragraph: 600, sentence: 300, clause: 120, none: 0 }
/** About -48 dB: engines leave noise in their silence. */
const SILENT_PEAK = 128
const REACH_MS = 4
const AUDIBLE_PEAK = 64 / 32_768
const HIGHEST_GAIN = 10 ** (43 / 20)
const HIGHEST_GAIN_OF_SILENCE = 10
const CLOSE_DB = 0.3
const TELLING_LIMIT = 10 ** (2 / 20)
const MOST_TRIES = 4

export interface RenderedChunk {
  readonly audio: Wav | null
  readonly pause: Pause
  readonly pace?: number
  readonly silenceMs?: number
  readonly silenceBeforeMs?: number | undefined
}

export interface Placement {
  readonly from: number
  readonly to: number
  readonly skipped: number
}

/** Joins chunks: shortens silence at their edges, fades and adds pauses by punctuation and pace. A single chunk stays unchanged. */
export class ChunkJoiner {
  readonly #count: number
  readonly #placements: Placement[] = []
  #sampleRate: number | null = null
  #silenceMs = 0
  #length = 0

  constructor(count: number) {
    this.#count = count
  }

  get sampleRate(): number | null {
    return this.#sampleRate
  }

  get placements(): readonly Placement[] {
    return this.#placements
  }

  /**
   * Returns the samples that a chunk adds; a single chunk shares its memory.
   * @throws BadAudio when the sample rates differ
   */
  push({ audio, pause, pace = 1, silenceMs = 0, silenceBeforeMs = 0 }: RenderedChunk): Int16Array {
    this.#silenceMs += silenceBeforeMs
    if (audio !== null) this.#sampleRate ??= audio.sampleRate
    if (audio !== null && audio.sampleRate !== this.#sampleRate)
      throw new BadAudio('The sample rate changes in the middle.')
    const isLast = this.#placements.length === this.#count - 1
    const pauseMs = silenceMs + (isLast ? 0 : PAUSE_MS[pause] / pace)
    if (this.#sampleRate === null) return this.#wait(pauseMs)
    const added = this.#count === 1 && audio !== null ? audio.samples : this.#place(audio, pauseMs, isLast)
    if (this.#count === 1) this.#placements.push({ from: 0, to: added.length, skipped: 0 })
    this.#length += added.length
    return added
  }

  #wait(pauseMs: number): Int16Array {
    this.#silenceMs += pauseMs
    this.#placements.push({ from: 0, to: 0, skipped: 0 })
    return new Int16Array(0)
  }

  #place(audio: Wav | null, pauseMs: number, isLast: boolean): Int16Array {
    const rate = this.#sampleRate as number
    const sound = audio === null ? new Int16Array(0) : trimmed(audio, isLast)
    const before = toSamples(this.#silenceMs, rate)
    this.#silenceMs = 0
    const added = new Int16Array(before + sound.length + toSamples(pauseMs, rate))
    added.set(sound, before)
    fade(added.subarray(before, before + sound.length), rate)
    const from = this.#length + before
    const skipped = audio === null ? 0 : (sound.byteOffset - audio.samples.byteOffset) / sound.BYTES_PER_ELEMENT
    this.#placements.push({ from, to: from + sound.length, skipped })
    return added
  }
}

export function recordingOf({ sampleRate }: ChunkJoiner, samples: Int16Array): Wav {
  if (sampleRate === null) throw new BadAudio('No part of the text was spoken.')
  return { sampleRate, channels: 1, samples }
}

export const withGain = (wav: Wav, gain: number): Wav =>
  gain === 1 ? wav : { ...wav, samples: applyGain(wav.samples, wav.sampleRate, gain) }

/** Writes a new header, since the engine's may be wrong. */
export const toFile = (wav: Wav): Uint8Array<ArrayBuffer> => writeWav(wav.samples, wav.sampleRate)

const toSamples = (ms: number, sampleRate: number): number => Math.round((ms * sampleRate) / 1000)

function trimmed({ samples, sampleRate }: Wav, isLast: boolean): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) >= SILENT_PEAK
  const first = samples.findIndex(isLoud)
  if (first < 0) return samples.subarray(0, 0)
  const last = samples.findLastIndex(isLoud)
  const edge = toSamples(EDGE_SILENCE_MS, sampleRate)
  const tail = isLast ? toSamples(TAIL_SILENCE_MS, sampleRate) : edge
  return samples.subarray(Math.max(0, first - edge), Math.min(samples.length, last + 1 + tail))
}

function fade(samples: Int16Array, sampleRate: number): void {
  const length = Math.min(toSamples(FADE_MS, sampleRate), Math.floor(samples.length / 2))
  for (let at = 0; at < length; at++) {
    const gain = at / length
    const mirror = samples.length - 1 - at
    samples[at] = Math.round(samples[at]! * gain)
    samples[mirror] = Math.round(samples[mirror]! * gain)
  }
}

/** Multiplies samples by a factor and turns down peaks above -1 dBTP; returns a new array. Pure. */
export function applyGain(samples: Int16Array, sampleRate: number, gain: number): Int16Array {
  const envelope = duckPeaks(samples, sampleRate, (HIGHEST_PEAK * FULL_SCALE) / gain)
  const louder = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at++) louder[at] = rounded(samples[at]! * gain)
  if (envelope === null) return louder
  for (let at = 0; at < samples.length; at++)
    if (envelope[at] !== 1) louder[at] = rounded(samples[at]! * gain * envelope[at]!)
  return louder
}

/** Takes a third of the time of Math.round. */
const rounded = (value: number): number => Math.floor(value + 0.5)

function duckPeaks(samples: Int16Array, sampleRate: number, limit: number): Float32Array | null {
  const window = duckingWindow(Math.round((REACH_MS * sampleRate) / 1000))
  const near = Math.ceil(limit * NEAR_PEAK)
  let envelope: Float32Array | null = null
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at]!
    if (sample < near && sample > -near) continue
    const peak = peakNear(samples, at) * (envelope?.[at] ?? 1)
    if (peak <= limit) continue
    envelope ??= new Float32Array(samples.length).fill(1)
    duck(envelope, at, 1 - limit / peak, window)
  }
  return envelope
}

function duck(envelope: Float32Array, at: number, depth: number, window: readonly number[]): void {
  for (let away = 0; away < window.length; away++) {
    const factor = 1 - depth * window[away]!
    if (at + away < envelope.length) envelope[at + away]! *= factor
    if (away > 0 && at >= away) envelope[at - away]! *= factor
  }
}

const duckingWindow = (length: number): number[] =>
  Array.from({ length }, (_, away) => 0.5 + 0.5 * Math.cos((Math.PI * away) / length))

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
