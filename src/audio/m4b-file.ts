import { type Chapter, joinBytes } from './encoding.ts'
import { AAC_RATES } from './format.ts'
import {
  aacDescription,
  BOX_HEADER_BYTES,
  box,
  fixedMatrix,
  fullBox,
  handlerBox,
  i64,
  movieHeader,
  type Track,
  trackBox,
  u16,
  u32,
  u32s,
  zeros,
} from './mp4-boxes.ts'

interface M4bOptions {
  /** In Hz, one of AAC_RATES. */
  readonly sampleRate: number
  readonly chapters: readonly Chapter[]
  readonly title: string | undefined
}

export const FRAME_SAMPLES = 1024
/** The encoder's delay, which players skip. */
const PRIMING_SAMPLES = 1024
const FRAMES_PER_CHUNK = 64
const INDEX_OF_8_KHZ = 11
const AUDIO_TRACK = 1
const CHAPTER_TRACK = 2
const MS_PER_SECOND = 1000
const NERO_UNITS_PER_MS = 10_000
/** Nero's list states the count and each length in one byte. */
const MOST_NERO = 255
const MOST_TITLE_BYTES = 65_535

/**
 * Writes an MPEG-4 audiobook of AAC frames from its first byte to its last: the index is at the end. Chapters are a QuickTime
 * text track and a list of Nero's, because players read the one or the other.
 */
export class M4bFile {
  readonly #options: M4bOptions
  readonly #sizes: Uint8Array[] = []
  readonly #chunkOffsets: number[] = []
  #waiting: Uint8Array[] = []
  #frames = 0
  #bytes = 0

  constructor(options: M4bOptions) {
    this.#options = options
  }

  /** Returns the bytes that are complete; perhaps none. */
  add(frames: readonly Uint8Array[]): Uint8Array[] {
    const written = this.#bytes === 0 ? [this.#write(fileType())] : []
    for (const frame of frames) {
      this.#waiting.push(frame)
      if (this.#waiting.length === FRAMES_PER_CHUNK) written.push(this.#writeChunk())
    }
    return written
  }

  /** Returns the rest. @param totalSamples without the encoder's delay */
  end(totalSamples: number): Uint8Array[] {
    const written = this.add([])
    if (this.#waiting.length > 0) written.push(this.#writeChunk())
    const texts = this.#options.chapters.map(({ title }) => chapterText(title))
    const tracks = [this.#audioTrack(totalSamples)]
    if (texts.length > 0) {
      tracks.push(this.#chapterTrack(totalSamples, texts))
      written.push(this.#write(box('mdat', ...texts)))
    }
    written.push(
      box(
        'moov',
        movieHeader(this.#options.sampleRate, totalSamples, tracks.length + 1),
        ...tracks.map((track) => trackBox(track, totalSamples)),
        ...userData(this.#options, msOf(totalSamples, this.#options.sampleRate)),
      ),
    )
    return written
  }

  #writeChunk(): Uint8Array {
    this.#chunkOffsets.push(this.#bytes + BOX_HEADER_BYTES)
    this.#sizes.push(sizesOf(this.#waiting))
    this.#frames += this.#waiting.length
    return this.#write(box('mdat', ...this.#waiting.splice(0)))
  }

  #write(bytes: Uint8Array): Uint8Array {
    this.#bytes += bytes.length
    return bytes
  }

  #audioTrack(totalSamples: number): Track {
    const { sampleRate, chapters } = this.#options
    const duration = this.#frames === 0 ? 0 : PRIMING_SAMPLES + totalSamples
    const whole = Math.max(0, this.#frames - 1)
    const bitRate = Math.round((this.#bytes * 8 * sampleRate) / Math.max(1, duration))
    return {
      id: AUDIO_TRACK,
      isEnabled: true,
      timescale: sampleRate,
      duration,
      edits: [[totalSamples, PRIMING_SAMPLES]],
      chapterTrack: chapters.length > 0 ? CHAPTER_TRACK : undefined,
      handler: 'soun',
      header: fullBox('smhd', u32(0)),
      description: aacDescription(sampleRate, INDEX_OF_8_KHZ - AAC_RATES.indexOf(sampleRate), bitRate),
      samples: {
        durations:
          this.#frames === 0
            ? []
            : [
                [whole, FRAME_SAMPLES],
                [1, duration - whole * FRAME_SAMPLES],
              ],
        sizes: this.#sizes,
        perChunk: FRAMES_PER_CHUNK,
        chunkOffsets: this.#chunkOffsets,
      },
    }
  }

  /** The texts come next in the file. */
  #chapterTrack(totalSamples: number, texts: readonly Uint8Array[]): Track {
    const { sampleRate, chapters } = this.#options
    const totalMs = msOf(totalSamples, sampleRate)
    const starts = startsOf(chapters, totalMs)
    return {
      id: CHAPTER_TRACK,
      isEnabled: false,
      timescale: MS_PER_SECOND,
      duration: totalMs,
      edits: [[totalSamples, 0]],
      handler: 'text',
      header: box('gmhd', fullBox('gmin', u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0)), box('text', fixedMatrix())),
      description: box('text', zeros(6), u16(1), zeros(44)),
      samples: {
        durations: starts.map((start, at) => [1, (starts[at + 1] ?? totalMs) - start] as const),
        sizes: [sizesOf(texts)],
        perChunk: texts.length,
        chunkOffsets: [this.#bytes + BOX_HEADER_BYTES],
      },
    }
  }
}

const msOf = (samples: number, sampleRate: number): number => Math.round((samples * MS_PER_SECOND) / sampleRate)

/** Players expect the first chapter at the beginning. */
const startsOf = (chapters: readonly Chapter[], totalMs: number): number[] =>
  chapters.map(({ fromMs }, at) => (at === 0 ? 0 : Math.min(Math.round(fromMs), totalMs)))

const sizesOf = (parts: readonly Uint8Array[]): Uint8Array => u32s(parts.map(({ length }) => length))

const fileType = (): Uint8Array => box('ftyp', Buffer.from('M4B '), u32(0), Buffer.from('M4B M4A mp42isom'))

function chapterText(title: string): Uint8Array {
  const text = utf8(title, MOST_TITLE_BYTES)
  return joinBytes([u16(text.length), text, box('encd', u32(0x100))])
}

/** Cut between two characters if it is longer. */
function utf8(text: string, mostBytes: number): Uint8Array {
  const bytes = Buffer.alloc(Math.min(mostBytes, Buffer.byteLength(text)))
  return bytes.subarray(0, bytes.write(text))
}

function userData({ chapters, title }: M4bOptions, totalMs: number): Uint8Array[] {
  const data = [
    ...(chapters.length > 0 ? [neroChapters(chapters.slice(0, MOST_NERO), totalMs)] : []),
    ...(title === undefined ? [] : [titleTag(title)]),
  ]
  return data.length > 0 ? [box('udta', ...data)] : []
}

function neroChapters(chapters: readonly Chapter[], totalMs: number): Uint8Array {
  const entries = startsOf(chapters, totalMs).map((start, at) => {
    const text = utf8(chapters[at]?.title ?? '', MOST_NERO)
    return joinBytes([i64(start * NERO_UNITS_PER_MS), Buffer.from([text.length]), text])
  })
  return box('chpl', u32(0x100_0000, 0), Buffer.from([entries.length]), ...entries)
}

const titleTag = (title: string): Uint8Array =>
  fullBox('meta', handlerBox('mdir', 'appl'), box('ilst', box('©nam', box('data', u32(1, 0), Buffer.from(title)))))
