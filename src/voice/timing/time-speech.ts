import type { WordMark } from '../../engines/engine.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import type { ChunkTiming } from '../assemble.ts'
import { weighText } from '../estimate-speech.ts'
import { findSentences } from '../find-sentences.ts'
import { findWords } from './find-words.ts'
import type { TextRange } from './offset-map.ts'
import { SoundingClock } from './sounding-clock.ts'
import { type SpeechTiming, type TimedRange, type TimeSource, worstSource } from './speech-timing.ts'
import { timeChunk } from './time-chunk.ts'

const MUTE = /^[^\p{L}\p{N}\p{S}\p{Extended_Pictographic}]*$/u

const SPOKEN = /[\p{L}\p{N}]/u
const QUOTED = /["”’»]$/u
const SMALL = /^\p{Ll}/u

export interface Heard {
  readonly clock: SoundingClock
  readonly marks: readonly WordMark[] | undefined
  readonly markSource?: TimeSource
}

interface SpokenText {
  readonly text: string
  readonly language: Language | undefined
  readonly ends?: readonly number[]
}

/**
 * Times the words and sentences of a text from its chunks in the recording.
 * @param heard per chunk; null if it gave no sound
 */
export function timeSpeech(
  spoken: SpokenText,
  chunks: readonly ChunkTiming[],
  heard: readonly (Heard | null)[],
  sampleRate: number,
): SpeechTiming {
  return timeSentences(spoken, sentencesOf(spoken), { chunks, heard, sampleRate })
}

interface HeardText {
  readonly chunks: readonly ChunkTiming[]
  readonly heard: readonly (Heard | null)[]
  readonly sampleRate: number
}

function timeSentences(
  { text, language }: SpokenText,
  all: readonly TextRange[],
  { chunks, heard, sampleRate }: HeardText,
): SpeechTiming {
  const words: TimedRange[] = []
  const pieces: TimedRange[] = []
  for (const [index, chunk] of chunks.entries()) {
    const sentences = within(all, text, chunk)
    const rendering = heard[index] ?? null
    if (sentences.length === 0 || rendering === null) continue
    const timed = timeOne({ text, language }, chunk, sentences, rendering)
    const place = placed(chunk, sampleRate)
    words.push(...timed.words.map(place))
    pieces.push(...timed.sentences.map(place))
  }
  return { words, sentences: all.flatMap((sentence) => whole(sentence, pieces)) }
}

export function estimateTiming({ text, language }: SpokenText, durationMs: number): SpeechTiming {
  const clock = new SoundingClock({ from: 0, to: durationMs }, [])
  const chunk = { textStart: 0, textEnd: text.length, from: 0, to: durationMs, skipped: 0 }
  const all = sentencesOf({ text, language: undefined })
  const recording = { chunks: [chunk], heard: [{ clock, marks: undefined }], sampleRate: 1000 }
  const { words, sentences } = timeSentences({ text, language }, all, recording)
  const estimated = (range: TimedRange): TimedRange => ({ ...range, source: 'estimated' })
  return { words: words.map(estimated), sentences: sentences.map(estimated) }
}

function timeOne(
  { text, language }: SpokenText,
  { textStart, textEnd }: ChunkTiming,
  sentences: readonly TextRange[],
  { clock, marks, markSource = 'engine' }: Heard,
): SpeechTiming {
  const own = text.slice(textStart, textEnd)
  const shift = (range: TextRange, by: number) => ({ ...range, start: range.start + by, end: range.end + by })
  const all = findWords(own, language)
  const { words, sentences: found } = timeChunk({
    sentences: sentences.map((sentence) => shift(sentence, -textStart)),
    words: all,
    weigh: weighText(own, language),
    clock,
    marks: marks && atSigns(own, all, marks),
    markSource,
  })
  const moved = (ranges: readonly TimedRange[]) => ranges.map((range) => ({ ...range, ...shift(range, textStart) }))
  return { words: moved(words), sentences: moved(found) }
}

/** Some engines mark "100" in "$100", whose word begins at the sign. */
function atSigns(text: string, words: readonly TextRange[], marks: readonly WordMark[]): WordMark[] {
  const starts = new Map<number, number>()
  for (const { start, end } of words) starts.set(start + Math.max(0, text.slice(start, end).search(SPOKEN)), start)
  return marks.map((mark) => ({ ...mark, offset: starts.get(mark.offset) ?? mark.offset }))
}

const placed = ({ from, to, skipped }: ChunkTiming, sampleRate: number) => {
  const at = (sample: number): number =>
    Math.round((Math.min(to, Math.max(from, from + sample - skipped)) * 1000) / sampleRate)
  return (range: TimedRange): TimedRange => ({ ...range, from: at(range.from), to: at(range.to) })
}

function sentencesOf({ text, language, ends = [] }: SpokenText): TextRange[] {
  const found = findSentences(text, language).map(({ at }) => at)
  const starts = [...new Set([0, ...found, ...ends])].sort((one, other) => one - other)
  const isEnd = new Set(ends)
  const sentences: TextRange[] = []
  for (const [index, start] of starts.entries()) {
    const before = sentences.at(-1)
    for (const range of trimmed(text, { start, end: starts[index + 1] ?? text.length })) {
      const [said, next] = [text.slice(before?.start ?? 0, before?.end ?? 0), text.slice(range.start, range.end)]
      const goesOn = isMute(said, next) || (!isEnd.has(start) && QUOTED.test(said) && SMALL.test(next))
      if (before !== undefined && goesOn) sentences[sentences.length - 1] = { start: before.start, end: range.end }
      else sentences.push(range)
    }
  }
  return sentences
}

const isMute = (said: string, next: string): boolean => MUTE.test(said) || MUTE.test(next)

const within = (sentences: readonly TextRange[], text: string, { textStart, textEnd }: ChunkTiming): TextRange[] =>
  sentences
    .filter(({ start, end }) => start < textEnd && end > textStart)
    .flatMap(({ start, end }) => trimmed(text, { start: Math.max(start, textStart), end: Math.min(end, textEnd) }))

function trimmed(text: string, { start, end }: TextRange): TextRange[] {
  const piece = text.slice(start, end)
  const from = start + piece.length - piece.trimStart().length
  const to = start + piece.trimEnd().length
  return to > from ? [{ start: from, end: to }] : []
}

function whole(sentence: TextRange, pieces: readonly TimedRange[]): TimedRange[] {
  const own = pieces.filter(({ start, end }) => start < sentence.end && end > sentence.start)
  const [first, last] = [own[0], own.at(-1)]
  if (first === undefined || last === undefined) return []
  return [{ ...sentence, from: first.from, to: last.to, source: worstSource(own) }]
}
