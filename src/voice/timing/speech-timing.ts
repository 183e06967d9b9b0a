import type { OffsetMap, TextRange } from './offset-map.ts'

/** Sources of a time, the most certain first: the engine's clock, pauses in the audio, expected lengths. */
export const TIME_SOURCES = ['engine', 'aligned', 'estimated'] as const
export type TimeSource = (typeof TIME_SOURCES)[number]

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

const CLOSING = /^[.,;:!?…%\p{Pe}\p{Pf}、。，！？：；]/u
const OPENING = /[\p{Ps}\p{Pi}¿¡]$/u

export function heardOf(text: string, heard: JobTiming['heard'], { start, end }: TextRange): string {
  if (heard === null) return text.slice(start, end)
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
