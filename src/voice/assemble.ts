import { joinSamples, type Wav } from '../audio/wav.ts'
import { nextTurn } from '../concurrency/next-turn.ts'
import { EngineError, paceOf } from '../engines/engine.ts'
import { gainOf, type Loudness } from '../engines/loudness.ts'
import { ChunkJoiner, type Placement, recordingOf, withGain } from './join.ts'
import type { PassageChunk } from './markup/job-script.ts'

export const MAX_SPEECH_SECONDS = 3 * 3600
const NONE = new Int16Array(0)

export interface SpokenChunk {
  readonly audio: Wav
  readonly loudness: Loudness | undefined
}

/** One chunk of a recording for listeners; all parts together are the recording, sample by sample. */
export interface SpokenPart {
  readonly index: number
  readonly wav: Wav
}

/**
 * Places a chunk in the recording: `textStart` and `textEnd` in UTF-16 units, the others in samples. `skipped` counts samples left
 * out at its start.
 */
export interface ChunkTiming {
  readonly textStart: number
  readonly textEnd: number
  readonly from: number
  readonly to: number
  readonly skipped: number
}

export interface Recording {
  readonly audio: Wav
  readonly timing: readonly ChunkTiming[]
}

interface AssemblyOptions {
  readonly speed?: number | undefined
  readonly onPart?: ((part: SpokenPart) => void) | undefined
  /** Absent: all chunks are known; infinite: more of them may be added to the array. */
  readonly count?: number
  /** Absent: with `onPart` the first audible part sets the gain of all, otherwise all chunks do. */
  readonly gain?: number
  /** `nothing`: the samples only go to `onPart`, and there is no recording at the end. */
  readonly keeps?: 'recording' | 'nothing'
  readonly longestSeconds?: number
}

/** Joins chunks that arrive in any order and amplifies them. */
export class SpeechAssembly {
  readonly #chunks: readonly PassageChunk[]
  readonly #options: AssemblyOptions
  readonly #joiner: ChunkJoiner
  readonly #spoken: (SpokenChunk | null | undefined)[] = []
  readonly #parts: Int16Array[] = []
  readonly #loudness: Loudness[] = []
  #gain: number | null
  #samples = 0
  #published = 0

  constructor(chunks: readonly PassageChunk[], options: AssemblyOptions = {}) {
    this.#chunks = chunks
    this.#options = options
    this.#gain = options.gain ?? null
    this.#joiner = new ChunkJoiner(options.count ?? chunks.length)
  }

  /** The first chunks that are joined: no one is missing. */
  get count(): number {
    return this.#parts.length
  }

  get sampleRate(): number | null {
    return this.#joiner.sampleRate
  }

  /** Samples of a part, known once the part is there. */
  placementOf(index: number): Placement {
    return this.#joiner.placements[index]!
  }

  /** @throws BadAudio when the sample rates differ, RENDER_FAILED for speech of more than MAX_SPEECH_SECONDS */
  add(index: number, spoken: SpokenChunk | null): void {
    this.#spoken[index] = spoken
    for (let next = this.#spoken[this.#parts.length]; next !== undefined; next = this.#spoken[this.#parts.length])
      this.#append(next)
  }

  /** @throws BadAudio if nothing was spoken */
  measured(): { readonly sampleRate: number; readonly totalSamples: number; readonly gain: number } {
    const { sampleRate } = recordingOf(this.#joiner, NONE)
    return { sampleRate, totalSamples: this.#samples, gain: this.#gain ?? gainOf(this.#loudness) }
  }

  /** @param count the first parts that the recording has; absent: all of them */
  async finish(count = this.#parts.length): Promise<Recording> {
    if (this.#options.onPart === undefined) await this.#amplify(gainOf(this.#loudness))
    const audio = recordingOf(this.#joiner, await joinSamples(this.#parts.slice(0, count)))
    const timing = this.#joiner.placements.slice(0, count).map((placement, index) => {
      const { start, text } = this.#chunks[index] as PassageChunk
      return { textStart: start, textEnd: start + text.length, ...placement }
    })
    return { audio, timing }
  }

  async #amplify(gain: number): Promise<void> {
    const { sampleRate } = this.#joiner
    if (sampleRate === null || gain === 1) return
    for (const [index, samples] of this.#parts.entries()) {
      this.#parts[index] = withGain({ sampleRate, channels: 1, samples }, gain).samples
      await nextTurn()
    }
  }

  #append(spoken: SpokenChunk | null): void {
    const index = this.#parts.length
    const { pause, silenceMs = 0, silenceBeforeMs, change } = this.#chunks[index] as PassageChunk
    const { onPart, keeps, longestSeconds = MAX_SPEECH_SECONDS, speed } = this.#options
    const pace = paceOf(change?.speed ?? speed)
    const samples = this.#joiner.push({ audio: spoken?.audio ?? null, pause, pace, silenceMs, silenceBeforeMs })
    if (spoken?.loudness !== undefined) this.#loudness.push(spoken.loudness)
    this.#spoken[index] = null
    const { sampleRate } = this.#joiner
    this.#samples += samples.length
    if (sampleRate !== null && this.#samples > longestSeconds * sampleRate)
      throw new EngineError('RENDER_FAILED', `the speech is longer than ${longestSeconds / 3600} hours`)
    const keep = (joined: Int16Array) => this.#parts.push(keeps === 'nothing' ? NONE : joined)
    if (onPart === undefined || sampleRate === null) return void keep(samples)
    // A listener counts parts, so silent parts before the first sound are published too.
    if (this.#published === 0)
      for (const earlier of this.#parts.keys())
        onPart({ index: earlier, wav: { sampleRate, channels: 1, samples: NONE } })
    this.#gain ??= gainOf(this.#loudness)
    const wav = withGain({ sampleRate, channels: 1, samples }, this.#gain)
    keep(wav.samples)
    this.#published = this.#parts.length
    onPart({ index, wav })
  }
}
