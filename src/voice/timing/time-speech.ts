import { nextTurn } from '../../concurrency/next-turn.ts'
import type { WordMark } from '../../engines/engine.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import type { ChunkTiming } from '../assemble.ts'
import { weighText } from '../estimate-speech.ts'
import { findSentences } from '../split.ts'
import type { TextRange } from './offset-map.ts'
import { SoundingClock } from './sounding-clock.ts'
import { type SpeechTiming, type TimedRange, type TimeSource, worstSource } from './speech-timing.ts'
import { timeChunk } from './time-chunk.ts'

const MUTE = /^[^\p{L}\p{N}\p{S}\p{Extended_Pictographic}]*$/u

const SPOKEN = /[\p{L}\p{N}]/u
const QUOTED = /["”’»]$/u
const SMALL = /^\p{Ll}/u
const LOCALES: Partial<Record<Language, string>> = { Chinese: 'zh', Japanese: 'ja', Korean: 'ko' }
const segmenters = new Map<string, Intl.Segmenter>()

const WHOLE = /[^，；]+/gu
const ADDRESS =
  /(?:https?:\/\/|www\.)[!#-&*-;=?-~]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+[a-z]{2,}\/[!#-&*-;=?-~]*/giu
const ADDRESS_END = /[.,;:!?]+$/u
const INNER = /^[\p{Sc}%‰°#+×*=&~]*[:./,’'‑–−-]?[\p{Sc}%‰°#+×*=&~−-]*$/u
const NUMBER = /\p{N}/u
const NUMBER_FIRST = /^\p{N}/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const BEFORE_NUMBER = /[\p{Sc}#@§№±+−~-]+$/u
const BEFORE_LETTER = /[\p{Sc}#@]+$/u
const AFTER_NUMBER = /^[\p{Sc}%‰°℃℉+#′″]+/u
const AFTER_LETTER = /^[\p{Sc}+#]+(?=[\s.,;:!?)]|$)/u
const CURRENCIES = /^\p{Sc}+$/u
const MOST_SIGNS = 8
const SIGNS = /(?<=^|\s)[\p{Sc}%‰&+=±×÷§°№]+(?=[\s.,;:!?)]|$)/gu

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
  const all = sentencesOf(spoken)
  return inAll(all, [...timeChunks(spoken, all, { chunks, heard, sampleRate })])
}

/** The same for a long text, each chunk in a turn of its own. */
export async function timeSpeechInTurns(spoken: SpokenText, recording: HeardText): Promise<SpeechTiming> {
  const all = sentencesOf(spoken)
  const timed: SpeechTiming[] = []
  for (const chunk of timeChunks(spoken, all, recording)) {
    timed.push(chunk)
    if (timed.length < recording.chunks.length) await nextTurn()
  }
  return inAll(all, timed)
}

interface HeardText {
  readonly chunks: readonly ChunkTiming[]
  readonly heard: readonly (Heard | null)[]
  readonly sampleRate: number
}

function* timeChunks(
  { text, language }: SpokenText,
  all: readonly TextRange[],
  { chunks, heard, sampleRate }: HeardText,
): Generator<SpeechTiming> {
  for (const [index, chunk] of chunks.entries()) {
    const sentences = within(all, text, chunk)
    const rendering = heard[index] ?? null
    if (sentences.length === 0 || rendering === null) continue
    const timed = timeOne({ text, language }, chunk, sentences, rendering)
    const place = placed(chunk, sampleRate)
    yield { words: timed.words.map(place), sentences: timed.sentences.map(place) }
  }
}

function inAll(all: readonly TextRange[], timed: readonly SpeechTiming[]): SpeechTiming {
  const pieces = timed.flatMap(({ sentences }) => sentences)
  return { words: timed.flatMap(({ words }) => words), sentences: all.flatMap((sentence) => whole(sentence, pieces)) }
}

export function estimateTiming({ text, language }: SpokenText, durationMs: number): SpeechTiming {
  const clock = new SoundingClock({ from: 0, to: durationMs }, [])
  const chunk = { textStart: 0, textEnd: text.length, from: 0, to: durationMs, skipped: 0 }
  const all = sentencesOf({ text, language: undefined })
  const recording = { chunks: [chunk], heard: [{ clock, marks: undefined }], sampleRate: 1000 }
  const { words, sentences } = inAll(all, [...timeChunks({ text, language }, all, recording)])
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

/** Finds the words of a text in order; an address is one word, and so is a number with its sign or unit. Pure. */
export function findWords(text: string, language: Language | undefined): TextRange[] {
  const words = withSigns(text, joined(text, segments(text, language)))
  const all = [...words, ...loneSigns(text).filter((sign) => !words.some((word) => overlap(word, sign)))]
  return all.length === words.length ? words : all.sort((one, other) => one.start - other.start)
}

function segments(text: string, language: Language | undefined): TextRange[] {
  const locale = (language && LOCALES[language]) ?? 'en'
  const segmenter = segmenters.get(locale) ?? new Intl.Segmenter(locale, { granularity: 'word' })
  segmenters.set(locale, segmenter)
  const words: TextRange[] = []
  for (const { index, segment, isWordLike } of segmenter.segment(text))
    if (isWordLike === true)
      for (const { 0: word, index: at } of segment.matchAll(WHOLE))
        words.push({ start: index + at, end: index + at + word.length })
  return words
}

function joined(text: string, words: readonly TextRange[]): TextRange[] {
  const addresses = Array.from(text.matchAll(ADDRESS), ({ 0: address, index }) => ({
    start: index,
    end: index + address.replace(ADDRESS_END, '').length,
  }))
  let next = 0
  const found: TextRange[] = []
  for (const word of words) {
    while (next < addresses.length && addresses[next]!.end <= word.start) next++
    const address = addresses[next]
    const before = found.at(-1)
    const isIn = address !== undefined && word.start >= address.start
    if (isIn && before !== undefined && before.start >= address.start) continue
    if (isIn) found.push(address)
    else if (before !== undefined && isOne(text, before, word))
      found[found.length - 1] = { start: before.start, end: word.end }
    else found.push(word)
  }
  return found
}

function isOne(text: string, before: TextRange, word: TextRange): boolean {
  const between = text.slice(before.end, word.start)
  if (between === '' || !INNER.test(between)) return false
  const [last, first] = [text.slice(before.start, before.end), text.slice(word.start, word.end)]
  return !UNSPACED.test(last + first) && (NUMBER.test(last) || NUMBER_FIRST.test(first))
}

function withSigns(text: string, words: readonly TextRange[]): TextRange[] {
  let last = 0
  return words.map(({ start, end }) => {
    const [before, after] = [text.slice(last, start), text.slice(end, end + MOST_SIGNS)]
    const opening = (NUMBER_FIRST.test(text.slice(start)) ? BEFORE_NUMBER : BEFORE_LETTER).exec(before)
    const isOwn = opening !== null && (opening.index > 0 || last === 0 || CURRENCIES.test(opening[0]))
    const closing = (NUMBER.test(text[end - 1]!) ? AFTER_NUMBER : AFTER_LETTER).exec(after)
    last = end + (closing?.[0].length ?? 0)
    return { start: isOwn ? start - opening[0].length : start, end: last }
  })
}

const loneSigns = (text: string): TextRange[] =>
  Array.from(text.matchAll(SIGNS), ({ 0: sign, index }) => ({ start: index, end: index + sign.length }))

const overlap = (one: TextRange, other: TextRange): boolean => one.start < other.end && other.start < one.end
