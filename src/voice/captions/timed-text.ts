import type { TextMark } from '../markup/marks.ts'
import { heardOf, type JobTiming, type TimedRange, type TimeSource, worstSource } from '../timing/speech-timing.ts'

/** A word or a sentence, and when it is heard. */
export interface TimedText {
  readonly text: string
  /** In seconds of the audio. */
  readonly start: number
  readonly end: number
  /** In code points of the submitted text. */
  readonly offset: number
  readonly length: number
  readonly source: TimeSource
}

/** A `<mark>` of a text in SSML, and when it is reached: with the word behind it, or with the end of the last one. */
interface TimedMark {
  readonly name: string
  /** In seconds of the audio. */
  readonly start: number
  /** In code points of the submitted text. */
  readonly offset: number
}

/** When all of a text is heard. */
export interface SpeechTimes {
  /** What the words' times rely on: the worst of them. */
  readonly timing: TimeSource
  readonly words: readonly TimedText[]
  readonly sentences: readonly TimedText[]
  /** Absent where the text has none. */
  readonly marks?: readonly TimedMark[]
}

/** The times of a submitted text as callers read them. Pure. */
export function timesOf(
  text: string,
  { words, sentences, heard }: JobTiming,
  marks: readonly TextMark[] = [],
): SpeechTimes {
  const codePoints = countCodePoints(text)
  const toTimed = ({ start, end, from, to, source }: TimedRange): TimedText => ({
    text: heardOf(text, heard, { start, end }).trim(),
    start: from / 1000,
    end: to / 1000,
    offset: codePoints(start),
    length: codePoints(end) - codePoints(start),
    source,
  })
  return {
    timing: worstSource(words.length > 0 ? words : sentences),
    words: words.map(toTimed),
    sentences: sentences.map(toTimed),
    ...(marks.length > 0 && {
      marks: marks.map(({ name, at }) => ({ name, start: reachedAt(at, words) / 1000, offset: codePoints(at) })),
    }),
  }
}

const reachedAt = (at: number, words: JobTiming['words']): number =>
  words.find(({ start }) => start >= at)?.from ?? words.at(-1)?.to ?? 0

/** How many code points there are before a UTF-16 unit. */
function countCodePoints(text: string): (unit: number) => number {
  const pairs = [...text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)].map(({ index }) => index)
  if (pairs.length === 0) return (unit) => unit
  const before = new Int32Array(text.length + 1)
  for (const index of pairs) before[index + 2] = 1
  for (let unit = 1; unit <= text.length; unit++) before[unit]! += before[unit - 1]!
  return (unit) => unit - before[unit]!
}
