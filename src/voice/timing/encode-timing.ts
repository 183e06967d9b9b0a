import type { TextRange } from './offset-map.ts'
import { type JobTiming, TIME_SOURCES, type TimedRange } from './speech-timing.ts'

const VERSION = 1

/**
 * Encodes a timing as variable-length deltas; offsets refer to the submitted text, which it does not contain.
 * @throws RangeError if a range ends before it begins
 */
export function encodeTiming({ words, sentences, heard }: JobTiming): Uint8Array<ArrayBuffer> {
  const writer = new Writer()
  writer.number(VERSION)
  writer.number(heard?.length ?? 0)
  let end = 0
  for (const range of heard ?? []) {
    writer.signed(range.start - end)
    writer.number(range.end - range.start)
    end = range.end
  }
  for (const ranges of [words, sentences]) writeRanges(writer, ranges)
  return writer.bytes()
}

/** @throws Error if the bytes are no timing of this version */
export function decodeTiming(bytes: Uint8Array): JobTiming {
  const reader = new Reader(bytes)
  if (reader.number() !== VERSION) throw new Error('a stored timing is of another version')
  const heard: TextRange[] = []
  for (let left = reader.number(); left > 0; left--) {
    const start = (heard.at(-1)?.end ?? 0) + reader.signed()
    heard.push({ start, end: start + reader.number() })
  }
  const words = readRanges(reader)
  return { words, sentences: readRanges(reader), heard: heard.length === 0 ? null : heard }
}

function writeRanges(writer: Writer, ranges: readonly TimedRange[]): void {
  writer.number(ranges.length)
  let before = { end: 0, to: 0 }
  for (const range of ranges) {
    writer.signed(range.start - before.end)
    writer.number((range.end - range.start) * TIME_SOURCES.length + TIME_SOURCES.indexOf(range.source))
    writer.signed(range.from - before.to)
    writer.number(range.to - range.from)
    before = range
  }
}

function readRanges(reader: Reader): TimedRange[] {
  const ranges: TimedRange[] = []
  for (let left = reader.number(); left > 0; left--) {
    const before = ranges.at(-1)
    const start = (before?.end ?? 0) + reader.signed()
    const length = reader.number()
    const from = (before?.to ?? 0) + reader.signed()
    const source = TIME_SOURCES[length % TIME_SOURCES.length]!
    ranges.push({
      start,
      end: start + Math.floor(length / TIME_SOURCES.length),
      from,
      to: from + reader.number(),
      source,
    })
  }
  return ranges
}

class Writer {
  readonly #bytes: number[] = []

  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('a timing is made of whole numbers in order')
    for (let left = value; ; left = Math.floor(left / 128)) {
      if (left < 128) return void this.#bytes.push(left)
      this.#bytes.push((left % 128) + 128)
    }
  }

  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value)
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes)
  }
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new Error('a stored timing ends too early')
      value += (byte % 128) * scale
      if (byte < 128) return value
    }
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }
}
