import type { WordMark } from '../../engines/engine.ts'
import { alignBorders } from './align-borders.ts'
import type { TextRange } from './offset-map.ts'
import type { SoundingClock, Stretch } from './sounding-clock.ts'
import { type SpeechTiming, type TimedRange, type TimeSource, worstSource } from './speech-timing.ts'

/** What is known of one rendering. Offsets and samples are its own. */
export interface HeardChunk {
  /** Of its text, in order, with no white space at their ends; at least one. */
  readonly sentences: readonly TextRange[]
  readonly words: readonly TextRange[]
  /** How long a stretch of its text should take, in any unit. */
  readonly weigh: (range: TextRange) => number
  readonly clock: SoundingClock
  /** The engine's own, if it has any. */
  readonly marks: readonly WordMark[] | undefined
}

interface Anchor {
  readonly start: number
  readonly at: number
}

/**
 * When the sentences and words of a rendering are heard, in samples. Words that the engine has marked begin there; between two of them, and
 * where there are none, words take their share of what sounds by how long their letters take. Pure.
 */
export function timeChunk(chunk: HeardChunk): SpeechTiming {
  const anchors = anchorsOf(chunk)
  const sentences = anchors.length > 0 ? markedSentences(chunk, anchors) : alignedSentences(chunk)
  const marked = new Map(anchors.map(({ start, at }) => [start, at]))
  let next = 0
  const words = sentences.flatMap((sentence) => {
    const own: TextRange[] = []
    for (; next < chunk.words.length && chunk.words[next]!.start < sentence.end; next++) own.push(chunk.words[next]!)
    return timeWords(chunk, sentence, own, marked)
  })
  return { words, sentences }
}

/** Marks at the beginnings of words, whose times follow one another as they do. */
function anchorsOf({ words, marks, clock }: HeardChunk): Anchor[] {
  if (marks === undefined || marks.length === 0) return []
  const firsts = new Map<number, number>()
  for (const { offset, sample } of marks) firsts.set(offset, Math.min(sample, firsts.get(offset) ?? sample))
  const anchors: Anchor[] = []
  for (const { start } of words) {
    const at = firsts.get(start)
    const last = anchors.at(-1)
    if (at !== undefined && at < clock.speech.to && (last === undefined || at > last.at)) anchors.push({ start, at })
  }
  return anchors
}

/** A sentence begins with its first word where that is marked, and ends before the pause in front of the next one. */
function markedSentences(chunk: HeardChunk, anchors: readonly Anchor[]): TimedRange[] {
  const { sentences, words, clock } = chunk
  const begins = sentences.map((sentence, index): { at: number; source: TimeSource } => {
    if (index === 0) return { at: Math.min(clock.speech.from, anchors[0]!.at), source: 'engine' }
    const first = words.find(({ start }) => start >= sentence.start && start < sentence.end)
    const own = anchors.find(({ start }) => start === first?.start)
    if (own !== undefined) return { at: own.at, source: 'engine' }
    return { at: guess(chunk, anchors, sentence.start), source: 'estimated' }
  })
  return sentences.map((sentence, index) => {
    const { at: from, source } = begins[index]!
    const next = begins[index + 1]
    const to = next === undefined ? clock.speech.to : clock.endBefore(next.at)
    const sources = next === undefined ? [{ source }] : [{ source }, next]
    return { ...sentence, from, to: Math.max(from, to), source: worstSource(sources) }
  })
}

/** When an offset is heard, by how long the text takes between the nearest two words that are marked. */
function guess({ clock, weigh, sentences }: HeardChunk, anchors: readonly Anchor[], offset: number): number {
  const before = anchors.findLast(({ start }) => start < offset) ?? { start: 0, at: clock.speech.from }
  const after = anchors.find(({ start }) => start >= offset) ?? { start: sentences.at(-1)!.end, at: clock.speech.to }
  const whole = weigh({ start: before.start, end: after.start })
  const share = whole > 0 ? weigh({ start: before.start, end: offset }) / whole : 0
  const [from, to] = [clock.soundingAt(before.at), clock.soundingAt(after.at)]
  return Math.min(after.at, Math.max(before.at, clock.startAfter(from + share * (to - from))))
}

function alignedSentences({ sentences, weigh, clock }: HeardChunk): TimedRange[] {
  const borders = alignBorders(clock, sentences.map(weigh))
  return sentences.map((sentence, index) => {
    const [before, after] = [borders[index - 1], borders[index]]
    const isAligned = before?.isAligned !== false && after?.isAligned !== false
    return {
      ...sentence,
      from: before?.start ?? clock.speech.from,
      to: after?.end ?? clock.speech.to,
      source: isAligned ? 'aligned' : 'estimated',
    }
  })
}

/** The words of a sentence: in runs, each from a time that is known to the next one. */
function timeWords(
  chunk: HeardChunk,
  sentence: TimedRange,
  own: readonly TextRange[],
  marked: ReadonlyMap<number, number>,
): TimedRange[] {
  const found: TimedRange[] = []
  for (let first = 0; first < own.length; ) {
    const next = own.findIndex(({ start }, index) => index > first && marked.has(start))
    const run = own.slice(first, next < 0 ? own.length : next)
    const known = marked.get(run[0]!.start)
    const to = next < 0 ? sentence.to : chunk.clock.endBefore(marked.get(own[next]!.start)!)
    found.push(...spread(chunk, run, { from: known ?? sentence.from, to }, known !== undefined))
    first += run.length
  }
  return found
}

/** Words over a stretch, each for its share of what sounds in it. */
function spread(
  { weigh, clock }: HeardChunk,
  run: readonly TextRange[],
  { from, to }: Stretch,
  isMarked: boolean,
): TimedRange[] {
  const weights = run.map(weigh)
  let at = clock.soundingAt(from)
  const unit = (clock.soundingAt(to) - at) / (sum(weights) || 1)
  return run.map((word, index) => {
    const isKnown = isMarked && index === 0
    const begin = isKnown ? from : Math.min(to, clock.startAfter(at))
    at += unit * weights[index]!
    const end = Math.min(to, clock.endOf(at))
    return { ...word, from: begin, to: Math.max(begin, end), source: isKnown ? 'engine' : 'estimated' }
  })
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
