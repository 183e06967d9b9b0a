import { type Wav, writeWav } from '../audio/wav.ts'
import { BadAudio } from '../engines/engine.ts'
import { applyGain } from './apply-gain.ts'
import type { Pause } from './split.ts'

const EDGE_SILENCE_MS = 60
/** Some players cut the last word off without this silence. */
const TAIL_SILENCE_MS = 100
const FADE_MS = 10
export const PAUSE_MS: Readonly<Record<Pause, number>> = { paragraph: 600, sentence: 300, clause: 120, none: 0 }
/** About -48 dB: engines leave noise in their silence. */
const SILENT_PEAK = 128

export interface RenderedChunk {
  readonly audio: Wav | null
  readonly pause: Pause
  readonly pace?: number
  readonly silenceMs?: number
}

interface Placement {
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
  push({ audio, pause, pace = 1, silenceMs = 0 }: RenderedChunk): Int16Array {
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
