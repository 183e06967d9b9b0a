import { nextTurn } from '../../concurrency/next-turn.ts'
import { heardIn, type JobTiming, type TimedRange } from '../timing/speech-timing.ts'

/** Some milliseconds of work. */
const SENTENCES_OF_TURN = 200
const LONGEST_MS = 7000
const SHORTEST_MS = 833
const CLAUSE_CUT_COST = 0.5
const WORD_CUT_COST = 2
const BRIEF_MS = 1500
const BRIEF_COST = 1
const CLAUSE_END = /[,;:–—…、，；：]["'”’»)\]]*$/u
const OPENING = /[\p{Ps}\p{Pi}¿¡]+$/u
const BLANKS = /[\s\p{Cc}]+/gu
const BLANK_FIRST = /^[\s\p{Cc}]/u
const BLANK_LAST = /[\s\p{Cc}]$/u
/** Common subtitle guidelines: 42 letters or 16 ideographs in a line. */
export const LINE_COLUMNS = 42
const WIDE_COLUMNS = LINE_COLUMNS / 16
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u3000-\u303f\uff01-\uff60]/u
const MARK = /[\p{Mn}\p{Cf}]/u

/** One caption of at most two lines; times in milliseconds. */
export interface Cue {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** A word with its punctuation, which captions never cut; times in milliseconds. */
interface Atom {
  readonly text: string
  readonly columns: number
  readonly from: number
  readonly to: number
  readonly isSpaced: boolean
}

/**
 * Cuts timed text into cues that do not overlap: at sentences, then clauses, then words. Other work of the process runs between some of
 * them. Pure.
 */
export async function cuesOf(text: string, timing: JobTiming, durationMs: number): Promise<Cue[]> {
  const groups: Atom[][] = []
  for (const [index, sentence] of atomsOf(text, timing)) {
    groups.push(...cutSentence(sentence))
    if (index % SENTENCES_OF_TURN === 0) await nextTurn()
  }
  const merged = mergeBrief(groups, durationMs)
  const cues: Cue[] = []
  for (const [index, group] of merged.entries()) {
    const from = Math.max(cues.at(-1)?.to ?? 0, group[0]!.from)
    const to = Math.max(from + 1, endOf(group, merged[index + 1], durationMs))
    cues.push({ from, to, lines: linesOf(group) })
    if (index % SENTENCES_OF_TURN === SENTENCES_OF_TURN - 1) await nextTurn()
  }
  return cues
}

function cutSentence(atoms: readonly Atom[]): Atom[][] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }]
  for (let to = 1; to <= atoms.length; to++) best.push({ cost: Number.POSITIVE_INFINITY, from: to - 1 })
  for (let from = 0; from < atoms.length; from++) {
    const limit = twoLines(atoms, from)
    for (let to = from + 1; to <= limit; to++) {
      if (to > from + 1 && atoms[to - 1]!.to - atoms[from]!.from > LONGEST_MS) break
      const cost = best[from]!.cost + costOf(atoms, from, to)
      if (cost < best[to]!.cost) best[to] = { cost, from }
    }
  }
  const groups: Atom[][] = []
  for (let to = atoms.length; to > 0; to = best[to]!.from) groups.unshift(atoms.slice(best[to]!.from, to))
  return groups
}

function costOf(atoms: readonly Atom[], from: number, to: number): number {
  const [first, last] = [atoms[from]!, atoms[to - 1]!]
  const next = atoms[to]
  const cut = next === undefined ? 0 : isGlued(next) ? WORD_CUT_COST : endsClause(last) ? 0 : CLAUSE_CUT_COST
  const missing = Math.max(0, BRIEF_MS - (last.to - first.from)) / BRIEF_MS
  return 1 + cut + BRIEF_COST * missing ** 2
}

function mergeBrief(groups: readonly Atom[][], durationMs: number): Atom[][] {
  const merged: Atom[][] = []
  for (const [index, group] of groups.entries()) {
    const before = merged.at(-1)
    const isBrief = (one: readonly Atom[], next: readonly Atom[] | undefined) =>
      endOf(one, next, durationMs) - one[0]!.from < SHORTEST_MS
    const joined = before === undefined ? group : [...before, ...group]
    const wants = before !== undefined && (isBrief(before, group) || isBrief(group, groups[index + 1]))
    if (wants && fits(joined)) merged[merged.length - 1] = joined
    else merged.push([...group])
  }
  return merged
}

function endOf(group: readonly Atom[], next: readonly Atom[] | undefined, durationMs: number): number {
  const from = group[0]!.from
  const limit = Math.min(next?.[0]?.from ?? durationMs, from + LONGEST_MS)
  return Math.min(limit, Math.max(group.at(-1)!.to, from + SHORTEST_MS))
}

function fits(atoms: readonly Atom[]): boolean {
  return atoms.at(-1)!.to - atoms[0]!.from <= LONGEST_MS && twoLines(atoms, 0) === atoms.length
}

function twoLines(atoms: readonly Atom[], from: number): number {
  const first = lengthWithin(atoms, from)
  return first === atoms.length ? first : lengthWithin(atoms, first)
}

function lengthWithin(atoms: readonly Atom[], from: number): number {
  let [to, columns] = [from, 0]
  while (to < atoms.length) {
    columns += widthOf(atoms[to]!, to === from)
    if (columns > LINE_COLUMNS) break
    to++
  }
  return Math.max(to, from + 1)
}

const widthOf = ({ columns, isSpaced }: Atom, isFirst: boolean): number => columns + (isSpaced && !isFirst ? 1 : 0)

function linesOf(atoms: readonly Atom[]): string[] {
  const first = lengthWithin(atoms, 0)
  if (first === atoms.length) return [lineOf(atoms)]
  let best = first
  let least = Number.POSITIVE_INFINITY
  for (let at = 1; at <= first; at++) {
    if (lengthWithin(atoms, at) < atoms.length) continue
    const [upper, lower] = [lineOf(atoms.slice(0, at)), lineOf(atoms.slice(at))]
    const worth = isGlued(atoms[at]!) ? LINE_COLUMNS : endsClause(atoms[at - 1]!) ? 0.5 : 1
    const unevenness = Math.abs(upper.length - lower.length) * worth
    if (unevenness < least) [best, least] = [at, unevenness]
  }
  return [lineOf(atoms.slice(0, best)), lineOf(atoms.slice(best))]
}

const lineOf = (atoms: readonly Atom[]): string =>
  atoms.map(({ text, isSpaced }, index) => (isSpaced && index > 0 ? ` ${text}` : text)).join('')

const isGlued = ({ text, columns, isSpaced }: Atom): boolean => !isSpaced && columns <= text.length

const endsClause = ({ text }: Atom): boolean => CLAUSE_END.test(text)

/** The atoms of each sentence that has some, with its place among the sentences, from 1. */
function* atomsOf(text: string, { words, sentences, heard }: JobTiming): Generator<[number, Atom[]], void> {
  const show = heardIn(text, heard)
  let next = 0
  for (const [index, sentence] of sentences.entries()) {
    const own: TimedRange[] = []
    while (next < words.length && words[next]!.start < sentence.end) own.push(words[next++]!)
    let before = show({ start: Math.max(0, sentence.start - 1), end: sentence.start })
    const atoms = pieces(text, sentence, own).flatMap((piece) => {
      const shown = show(piece)
      const atom = toAtom(piece, shown, before)
      before = shown
      return cutLong(atom)
    })
    if (atoms.length > 0) yield [index + 1, atoms]
  }
}

function pieces(text: string, sentence: TimedRange, words: readonly TimedRange[]): TimedRange[] {
  if (words.length === 0) return [sentence]
  const borders = words.map((word, index) =>
    index === 0 ? sentence.start : borderBetween(text, words[index - 1]!.end, word.start),
  )
  return words.map((word, index) => ({ ...word, start: borders[index]!, end: borders[index + 1] ?? sentence.end }))
}

function borderBetween(text: string, end: number, start: number): number {
  const gap = text.slice(end, start)
  if (gap === ' ') return start
  const kept = /\s/u.test(gap) ? gap.replace(/\S+$/u, '') : gap.replace(OPENING, '')
  return end + kept.length
}

function toAtom(piece: TimedRange, shown: string, before: string): Atom {
  const text = shown.replace(BLANKS, ' ').trim()
  const isSpaced = before === '' || BLANK_LAST.test(before) || BLANK_FIRST.test(shown)
  return { text, columns: columnsOf(text), from: piece.from, to: piece.to, isSpaced }
}

function cutLong(atom: Atom): Atom[] {
  if (atom.text === '') return []
  if (atom.columns <= LINE_COLUMNS) return [atom]
  const parts = ['']
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(atom.text)) {
    const longer = `${parts.at(-1)}${segment}`
    if (columnsOf(longer) > LINE_COLUMNS && parts.at(-1) !== '') parts.push(segment)
    else parts[parts.length - 1] = longer
  }
  let done = 0
  const timeAt = (columns: number) => Math.round(atom.from + (columns / atom.columns) * (atom.to - atom.from))
  return parts.map((text, index) => {
    const columns = columnsOf(text)
    const from = timeAt(done)
    done += columns
    return { text, columns, from, to: timeAt(done), isSpaced: index === 0 && atom.isSpaced }
  })
}

export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += character < '\u0300' ? 1 : characterWidth(character)
  return columns
}

function characterWidth(character: string): number {
  if (MARK.test(character)) return 0
  return WIDE.test(character) ? WIDE_COLUMNS : 1
}
