import { type Wav, writeWav } from '../audio/wav.ts'
import { BadAudio } from '../engines/engine.ts'
import { applyGain } from './apply-gain.ts'
import type { Pause } from './split.ts'

/** What is left of the silence at the edges of a chunk. */
const EDGE_SILENCE_MS = 60
/** And at the very end: players cut the last word off without it. */
const TAIL_SILENCE_MS = 100
/** Hides that two chunks do not meet at zero. */
const FADE_MS = 10
/** Pauses at the voice's own pace, in milliseconds, besides the silence at the edges of a chunk. */
export const PAUSE_MS: Readonly<Record<Pause, number>> = { paragraph: 600, sentence: 300, clause: 120, none: 0 }
/** About -48 dB: engines leave noise where they are silent. */
const SILENT_PEAK = 128

/** A rendered chunk and what follows it in the text; a chunk with nothing to say has no audio. */
export interface RenderedChunk {
  readonly audio: Wav | null
  readonly pause: Pause
  /** How fast it is spoken: what is spoken faster has shorter pauses. */
  readonly pace?: number
  /** Silence that the text asks for, besides. */
  readonly silenceMs?: number
}

/** Where a chunk is heard in the whole recording, in samples. */
interface Placement {
  readonly from: number
  readonly to: number
  /** How much of the silence before it was left out. */
  readonly skipped: number
}

/**
 * Makes chunks one recording, one after the other: silence at their edges shortened to 60 ms (100 ms at the end), 10 ms fades, pauses by
 * punctuation and pace. A single chunk stays as the engine spoke it.
 */
export class ChunkJoiner {
  readonly #count: number
  readonly #placements: Placement[] = []
  #sampleRate: number | null = null
  /** Pauses before the first sound, in milliseconds: how many samples they are is not known yet. */
  #silenceMs = 0
  #length = 0

  /** @param count how many chunks there are */
  constructor(count: number) {
    this.#count = count
  }

  /** Null as long as nothing was spoken. */
  get sampleRate(): number | null {
    return this.#sampleRate
  }

  /** Of the chunks so far. */
  get placements(): readonly Placement[] {
    return this.#placements
  }

  /** What the next chunk adds to the recording, of memory of its own unless it is the only one. @throws BadAudio when the sample rates differ */
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

/** What was joined as a recording. @throws BadAudio where nothing was spoken */
export function recordingOf({ sampleRate }: ChunkJoiner, samples: Int16Array): Wav {
  if (sampleRate === null) throw new BadAudio('No part of the text was spoken.')
  return { sampleRate, channels: 1, samples }
}

/** A new recording unless nothing has to be changed. */
export const withGain = (wav: Wav, gain: number): Wav =>
  gain === 1 ? wav : { ...wav, samples: applyGain(wav.samples, wav.sampleRate, gain) }

/** A WAV file with a correct header, whatever the engine's said. */
export const toFile = (wav: Wav): Uint8Array<ArrayBuffer> => writeWav(wav.samples, wav.sampleRate)

const toSamples = (ms: number, sampleRate: number): number => Math.round((ms * sampleRate) / 1000)

/** A view without most of the silence at both ends. */
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
