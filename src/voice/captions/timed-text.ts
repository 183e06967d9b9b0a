import type { TextMark } from '../markup/marks.ts'
import { heardOf, type JobTiming, type TimedRange, type TimeSource, worstSource } from '../timing/speech-timing.ts'

/** A word or a sentence: `start` and `end` in seconds, `offset` in code points of the submitted text. */
export interface TimedText {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly offset: number
  readonly length: number
  readonly source: TimeSource
}

/** A `<mark>` of SSML: `start` in seconds, `offset` in code points of the submitted text. */
interface TimedMark {
  readonly name: string
  readonly start: number
  readonly offset: number
}

export interface SpeechTimes {
  readonly timing: TimeSource
  readonly words: readonly TimedText[]
  readonly sentences: readonly TimedText[]
  readonly marks?: readonly TimedMark[]
}

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

function countCodePoints(text: string): (unit: number) => number {
  const pairs = [...text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)].map(({ index }) => index)
  if (pairs.length === 0) return (unit) => unit
  const before = new Int32Array(text.length + 1)
  for (const index of pairs) before[index + 2] = 1
  for (let unit = 1; unit <= text.length; unit++) before[unit]! += before[unit - 1]!
  return (unit) => unit - before[unit]!
}
