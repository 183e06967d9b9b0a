import type { OffsetMap, TextRange } from './offset-map.ts'

/** How a time is known: by the engine's own clock, by pauses in the audio, or by how long letters take; the best first. */
export const TIME_SOURCES = ['engine', 'aligned', 'estimated'] as const
export type TimeSource = (typeof TIME_SOURCES)[number]

/** A stretch of a text and when it is heard, in whatever unit the audio is measured in. */
export interface TimedRange extends TextRange {
  readonly from: number
  readonly to: number
  readonly source: TimeSource
}

/** When a text is heard, in milliseconds of its audio. Both are in the order of the text, which is that of the times. */
export interface SpeechTiming {
  readonly words: readonly TimedRange[]
  readonly sentences: readonly TimedRange[]
}

/** A stretch of a submitted text that is no markup. */
export interface HeardRange extends TextRange {
  /** What is shown for it, where that is not what stands there. */
  readonly shown?: string
  /** Nothing is heard here, but what is before it and what is behind it are spoken apart; empty. */
  readonly isCut?: true
}

/** A job's timing, with offsets into the text as it was submitted. */
export interface JobTiming extends SpeechTiming {
  /** What of that text is no markup; null: all of it. */
  readonly heard: readonly HeardRange[] | null
}

/** What belongs to the words before it, or to those behind it. */
const CLOSING = /^[.,;:!?…%\p{Pe}\p{Pf}、。，！？：；]/u
const OPENING = /[\p{Ps}\p{Pi}¿¡]$/u

/** A stretch of a submitted text without its markup, with a blank where that parts two words. */
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

/** The one that promises least. Estimated where there is nothing. */
export function worstSource(ranges: readonly { readonly source: TimeSource }[]): TimeSource {
  const worst = Math.max(...ranges.map(({ source }) => TIME_SOURCES.indexOf(source)))
  return TIME_SOURCES[worst] ?? 'estimated'
}

/** The same times with offsets into the submitted text: words of one alias become one. */
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

/** None begins before the one in front of it has ended: an engine may say that several words begin in one silence. */
export function inOrder(ranges: readonly TimedRange[]): TimedRange[] {
  let last = 0
  return ranges.map((range) => {
    const from = Math.max(last, range.from)
    last = Math.max(from, range.to)
    return { ...range, from, to: last }
  })
}
