import type { WordMark } from '../../engines/engine.ts'
import type { TextRange } from './offset-map.ts'
import type { SoundingClock, Stretch } from './sounding-clock.ts'
import { inOrder, type SpeechTiming, type TimedRange, type TimeSource, worstSource } from './speech-timing.ts'

const FARTHEST_SHARE = 0.25
const PAUSE_WORTH = 2
const LONGEST_PAUSE_SHARE = 0.05

/** Offsets and samples of one rendering; at least one sentence. */
interface HeardChunk {
  readonly sentences: readonly TextRange[]
  readonly words: readonly TextRange[]
  readonly weigh: (range: TextRange) => number
  readonly clock: SoundingClock
  readonly marks: readonly WordMark[] | undefined
  readonly markSource: TimeSource
}

interface Anchor {
  readonly start: number
  readonly at: number
}

interface Border {
  readonly end: number
  readonly start: number
  readonly isAligned: boolean
}

/** Times sentences and words in samples: marked words keep the engine's time, others share the sound between them by weight. Pure. */
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
  return { words: inOrder(words), sentences: inOrder(sentences) }
}

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
  return anchors.map((anchor, index) => heardAnchor(clock, anchor, anchors[index + 1]))
}

/** Engines mark a word at the silence before its consonant, so a mark in a pause moves behind it. */
function heardAnchor(clock: SoundingClock, { start, at }: Anchor, next: Anchor | undefined): Anchor {
  const onset = clock.onsetAfter(at)
  return { start, at: next === undefined || onset < next.at ? onset : at }
}

interface Begin {
  readonly at: number
  readonly source: TimeSource
}

function markedSentences(chunk: HeardChunk, anchors: readonly Anchor[]): TimedRange[] {
  const { sentences, clock } = chunk
  const begins = beginsOf(chunk, anchors)
  return sentences.map((sentence, index) => {
    const { at: from, source } = begins[index]!
    const next = begins[index + 1]
    const to = next === undefined ? clock.speech.to : clock.endBefore(next.at)
    const sources = next === undefined ? [{ source }] : [{ source }, next]
    return { ...sentence, from, to: Math.max(from, to), source: worstSource(sources) }
  })
}

function beginsOf(chunk: HeardChunk, anchors: readonly Anchor[]): Begin[] {
  const { sentences, words, clock, markSource } = chunk
  const marks = sentences.map(({ start, end }) => {
    const first = words.find((word) => word.start >= start && word.start < end)
    return anchors.find((anchor) => anchor.start === first?.start)
  })
  const begins: Begin[] = [{ at: Math.min(clock.speech.from, anchors[0]!.at), source: markSource }]
  while (begins.length < sentences.length) {
    const index = begins.length
    const own = marks[index]
    if (own !== undefined) begins.push({ at: own.at, source: markSource })
    else begins.push(...alignBegins(chunk, anchors, sentences.slice(index, nextMarked(marks, index))))
  }
  return begins
}

const nextMarked = (marks: readonly (Anchor | undefined)[], index: number): number => {
  const next = marks.findIndex((mark, at) => at > index && mark !== undefined)
  return next < 0 ? marks.length : next
}

function alignBegins(
  { weigh, clock, sentences }: HeardChunk,
  anchors: readonly Anchor[],
  unmarked: readonly TextRange[],
): Begin[] {
  const { start } = unmarked[0]!
  const before = anchors.findLast((anchor) => anchor.start < start) ?? { start: 0, at: clock.speech.from }
  const after = anchors.find((anchor) => anchor.start >= start)
  const end = after?.start ?? sentences.at(-1)!.end
  const own = unmarked.filter((one) => one.start <= end)
  const cuts = [before.start, ...own.map((one) => one.start), end]
  const weights = cuts.slice(1).map((cut, at) => weigh({ start: cuts[at]!, end: cut }))
  const to = after === undefined ? clock.speech.to : clock.endBefore(after.at)
  const borders = alignBorders(clock.within({ from: before.at, to: Math.max(before.at, to) }), weights)
  return borders.map(({ start: at, isAligned }) => ({ at, source: isAligned ? 'aligned' : 'estimated' }))
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

function spread(
  { weigh, clock, markSource }: HeardChunk,
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
    return { ...word, from: begin, to: Math.max(begin, end), source: isKnown ? markSource : 'estimated' }
  })
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/**
 * Assigns pauses to sentence borders by dynamic programming; interpolates a border without a pause by weight. Pure.
 * @param weights expected length of each sentence, in any unit
 */
function alignBorders(clock: SoundingClock, weights: readonly number[]): Border[] {
  const { speech, gaps } = clock
  const shares = cumulative(weights)
  const length = speech.to - speech.from
  const inner = shares.slice(1, -1)
  const chosen = choose(
    inner.map((share) => speech.from + share * length),
    gaps,
    length,
  )
  const anchors = [{ from: speech.from, to: speech.from }, ...chosen, { from: speech.to, to: speech.to }]
  return inner.map((_, index) => {
    const gap = chosen[index]
    if (gap !== undefined) return { end: gap.from, start: gap.to, isAligned: true }
    const at = between(anchors, shares, index + 1)
    return { end: at, start: at, isAligned: false }
  })
}

function cumulative(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const parts = total > 0 ? weights.map((weight) => weight / total) : weights.map(() => 1 / weights.length)
  let sum = 0
  return [0, ...parts.map((part) => (sum += part))]
}

function between(anchors: readonly (Stretch | undefined)[], shares: readonly number[], index: number): number {
  const before = anchors.findLastIndex((anchor, at) => at < index && anchor !== undefined)
  const after = anchors.findIndex((anchor, at) => at > index && anchor !== undefined)
  const [from, to] = [anchors[before]!.to, anchors[after]!.from]
  const [low, high] = [shares[before]!, shares[after]!]
  return Math.round(from + (high > low ? (shares[index]! - low) / (high - low) : 0) * (to - from))
}

function choose(expected: readonly number[], gaps: readonly Stretch[], length: number): (Stretch | undefined)[] {
  const unmatched = FARTHEST_SHARE * length
  const rows: number[][] = [new Array<number>(gaps.length + 1).fill(0)]
  for (const [index, at] of expected.entries()) {
    const above = rows[index]!
    const row = [above[0]! + unmatched]
    for (const [g, gap] of gaps.entries())
      row.push(Math.min(row[g]!, above[g + 1]! + unmatched, above[g]! + cost(at, gap, length)))
    rows.push(row)
  }
  const chosen: (Stretch | undefined)[] = expected.map(() => undefined)
  for (let border = expected.length, g = gaps.length; border > 0; ) {
    if (g > 0 && rows[border]![g] === rows[border]![g - 1]) g--
    else if (rows[border]![g] === rows[border - 1]![g]! + unmatched) border--
    else chosen[--border] = gaps[--g]
  }
  return chosen
}

function cost(at: number, { from, to }: Stretch, length: number): number {
  const pause = Math.min(to - from, LONGEST_PAUSE_SHARE * length)
  return Math.abs((from + to) / 2 - at) - PAUSE_WORTH * pause
}
