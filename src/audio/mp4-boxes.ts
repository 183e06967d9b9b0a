import { joinBytes } from './encoding.ts'

// Boxes of MPEG-4 files. Sources: ISO/IEC 14496-12 and 14496-14, Apple's QuickTime File Format.

export interface Track {
  readonly id: number
  readonly isEnabled: boolean
  /** Units of its times per second. */
  readonly timescale: number
  readonly duration: number
  readonly edits: readonly Edit[]
  /** The track with its chapters. */
  readonly chapterTrack?: number | undefined
  readonly handler: 'soun' | 'text'
  readonly header: Uint8Array
  readonly description: Uint8Array
  readonly samples: Samples
}

/** A duration in the file's timescale, and the track's time from which it plays; -1: nothing plays. */
type Edit = readonly [duration: number, from: number]

interface Samples {
  readonly durations: readonly (readonly [count: number, duration: number])[]
  /** Big-endian, 32 bits each. */
  readonly sizes: readonly Uint8Array[]
  readonly perChunk: number
  readonly chunkOffsets: readonly number[]
}

export const BOX_HEADER_BYTES = 8
const MAX_32_BITS = 0xffff_ffff
const UNDETERMINED_LANGUAGE = 0x55c4
const FULL_VOLUME = 0x100
const ENABLED_IN_MOVIE = 3
const IN_MOVIE = 2

export const box = (type: string, ...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  joinBytes([
    u32(content.reduce((sum, { length }) => sum + length, BOX_HEADER_BYTES)),
    Buffer.from(type, 'latin1'),
    ...content,
  ])

/** A box with a version and flags. */
export const fullBox = (type: string, ...content: readonly Uint8Array[]): Uint8Array => box(type, u32(0), ...content)

/** A box of version 1, whose times have 64 bits. */
const longBox = (type: string, flags: number, ...content: readonly Uint8Array[]): Uint8Array =>
  box(type, u32(0x100_0000 + flags), ...content)

export const zeros = (count: number): Uint8Array => new Uint8Array(count)

export const u16 = (...values: readonly number[]): Uint8Array =>
  filled(2, values, (data, value, at) => data.writeUInt16BE(value, at))

export const u32 = (...values: readonly number[]): Uint8Array => u32s(values)

export const u32s = (values: readonly number[]): Uint8Array =>
  filled(4, values, (data, value, at) => data.writeUInt32BE(value, at))

export const i64 = (...values: readonly number[]): Uint8Array => i64s(values)

const i64s = (values: readonly number[]): Uint8Array =>
  filled(8, values, (data, value, at) => data.writeBigInt64BE(BigInt(value), at))

function filled(
  width: number,
  values: readonly number[],
  write: (data: Buffer, value: number, at: number) => void,
): Buffer {
  const data = Buffer.alloc(values.length * width)
  values.forEach((value, index) => {
    write(data, value, index * width)
  })
  return data
}

export const fixedMatrix = (): Uint8Array => u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000)

export const movieHeader = (timescale: number, duration: number, nextTrack: number): Uint8Array =>
  longBox(
    'mvhd',
    0,
    ...[i64(0, 0), u32(timescale), i64(duration), u32(0x10000), u16(FULL_VOLUME), zeros(10)],
    ...[fixedMatrix(), zeros(24), u32(nextTrack)],
  )

/** @param movieDuration in the file's timescale */
export const trackBox = (track: Track, movieDuration: number): Uint8Array =>
  box(
    'trak',
    trackHeader(track, movieDuration),
    box(
      'edts',
      longBox('elst', 0, u32(track.edits.length), ...track.edits.map((edit) => joinBytes([i64(...edit), u16(1, 0)]))),
    ),
    ...(track.chapterTrack === undefined ? [] : [box('tref', box('chap', u32(track.chapterTrack)))]),
    box(
      'mdia',
      longBox('mdhd', 0, i64(0, 0), u32(track.timescale), i64(track.duration), u16(UNDETERMINED_LANGUAGE, 0)),
      handlerBox(track.handler),
      box(
        'minf',
        track.header,
        box('dinf', fullBox('dref', u32(1), box('url ', u32(1)))),
        box('stbl', fullBox('stsd', u32(1), track.description), ...sampleTables(track.samples)),
      ),
    ),
  )

const trackHeader = ({ id, isEnabled, handler }: Track, movieDuration: number): Uint8Array =>
  longBox(
    'tkhd',
    isEnabled ? ENABLED_IN_MOVIE : IN_MOVIE,
    ...[i64(0, 0), u32(id, 0), i64(movieDuration), zeros(12), u16(handler === 'soun' ? FULL_VOLUME : 0, 0)],
    ...[fixedMatrix(), u32(0, 0)],
  )

export const handlerBox = (handler: string, maker = ''): Uint8Array =>
  fullBox('hdlr', u32(0), Buffer.from(handler), Buffer.from(maker.padEnd(13, '\0')))

function sampleTables({ durations, sizes, perChunk, chunkOffsets }: Samples): Uint8Array[] {
  const count = sizes.reduce((sum, { length }) => sum + length / 4, 0)
  const whole = Math.floor(count / perChunk)
  const left = count - whole * perChunk
  const runs = [...(whole > 0 ? [[1, perChunk, 1]] : []), ...(left > 0 ? [[whole + 1, left, 1]] : [])]
  const isLong = (chunkOffsets.at(-1) ?? 0) > MAX_32_BITS
  return [
    fullBox('stts', u32(durations.length), u32s(durations.flat())),
    fullBox('stsc', u32(runs.length), u32s(runs.flat())),
    fullBox('stsz', u32(0, count), ...sizes),
    fullBox(isLong ? 'co64' : 'stco', u32(chunkOffsets.length), (isLong ? i64s : u32s)(chunkOffsets)),
  ]
}

/**
 * @param rateIndex the rate's place in the standard's list, from 96 kHz down
 * @param bitRate the average, in bit/s
 */
export function aacDescription(sampleRate: number, rateIndex: number, bitRate: number): Uint8Array {
  const lowComplexityMono = u16((2 << 11) | (rateIndex << 7) | (1 << 3))
  const decoder = descriptor(
    4,
    Buffer.from([0x40, 0x15]),
    zeros(3),
    u32(bitRate, bitRate),
    descriptor(5, lowComplexityMono),
  )
  const stream = descriptor(3, zeros(3), decoder, descriptor(6, Buffer.from([2])))
  return box('mp4a', zeros(6), u16(1), zeros(8), u16(1, 16, 0, 0), u32(sampleRate * 0x10000), fullBox('esds', stream))
}

/** Writes a descriptor whose content has less than 128 bytes. */
function descriptor(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const data = joinBytes(content)
  return joinBytes([Buffer.from([tag, data.length]), data])
}
