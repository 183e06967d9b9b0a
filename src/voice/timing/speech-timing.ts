import type { OffsetMap, TextRange } from './offset-map.ts'

/** Sources of a time, the most certain first: the engine's clock, pauses in the audio, expected lengths. */
export const TIME_SOURCES = ['engine', 'aligned', 'estimated'] as const
export type TimeSource = (typeof TIME_SOURCES)[number]

const CLOSING = /^[.,;:!?…%\p{Pe}\p{Pf}、。，！？：；]/u
const OPENING = /[\p{Ps}\p{Pi}¿¡]$/u
const VERSION = 1

/** `from` and `to` are in the unit of the audio. */
export interface TimedRange extends TextRange {
  readonly from: number
  readonly to: number
  readonly source: TimeSource
}

/** Times in milliseconds, in text order. */
export interface SpeechTiming {
  readonly words: readonly TimedRange[]
  readonly sentences: readonly TimedRange[]
}

export interface HeardRange extends TextRange {
  readonly shown?: string
  /** An empty range that separates its neighbours. */
  readonly isCut?: true
}

/** Offsets refer to the submitted text; `heard` is null if all of it is spoken. */
export interface JobTiming extends SpeechTiming {
  readonly heard: readonly HeardRange[] | null
}

/** Returns a function that gives the text that is heard of a range. */
export function heardIn(text: string, heard: JobTiming['heard']): (range: TextRange) => string {
  if (heard === null) return ({ start, end }) => text.slice(start, end)
  const isOrdered = heard.every(({ start, end }, index) => {
    const before = heard[index - 1]
    return before === undefined || (before.start <= start && before.end <= end)
  })
  return (range) => heardOf(text, isOrdered ? heard.slice(...near(heard, range)) : heard, range)
}

/** Places of the ranges that touch this one, as the arguments of `slice`. */
function near(heard: readonly HeardRange[], { start, end }: TextRange): [from: number, to: number] {
  const firstPlace = (isReached: (range: HeardRange) => boolean): number => {
    let [low, high] = [0, heard.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isReached(heard[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
  return [firstPlace((range) => range.end >= start), firstPlace((range) => range.start > end)]
}

function heardOf(text: string, heard: readonly HeardRange[], { start, end }: TextRange): string {
  let shown = ''
  let isCut = false
  for (const range of heard) {
    if (range.isCut) isCut ||= range.start >= start && range.end <= end
    else if (range.start < end && range.end > start) {
      const next = range.shown ?? text.slice(Math.max(range.start, start), Math.min(range.end, end))
      shown += isCut && isParted(shown, next) ? ` ${next}` : next
      isCut = false
    }
  }
  return isCut && isParted(shown, '') ? `${shown} ` : shown
}

const isParted = (before: string, after: string): boolean =>
  !/\s$/.test(before) && !/^\s/.test(after) && !OPENING.test(before) && !CLOSING.test(after)

export function worstSource(ranges: readonly { readonly source: TimeSource }[]): TimeSource {
  const worst = Math.max(...ranges.map(({ source }) => TIME_SOURCES.indexOf(source)))
  return TIME_SOURCES[worst] ?? 'estimated'
}

/** Maps offsets to the submitted text and merges words of one alias. */
export function inSubmitted({ words, sentences }: SpeechTiming, map: OffsetMap): JobTiming {
  const [only, ...more] = map.heard()
  const isWhole = only?.start === 0 && only.end === map.submitted.length && more.length === 0
  return { words: mapped(words, map), sentences: mapped(sentences, map), heard: isWhole ? null : map.heard() }
}

function mapped(ranges: readonly TimedRange[], map: OffsetMap): TimedRange[] {
  const found: TimedRange[] = []
  for (const range of ranges) {
    const before = found.at(-1)
    const { start, end } = map.toSubmitted(range)
    const from = Math.max(start, before?.end ?? 0)
    if (end > from) found.push({ ...range, start: from, end })
    else if (before !== undefined)
      found[found.length - 1] = { ...before, to: range.to, source: worstSource([before, range]) }
  }
  return found
}

/** Engines may mark several words in one silence; this removes overlaps. */
export function inOrder(ranges: readonly TimedRange[]): TimedRange[] {
  let last = 0
  return ranges.map((range) => {
    const from = Math.max(last, range.from)
    last = Math.max(from, range.to)
    return { ...range, from, to: last }
  })
}

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
