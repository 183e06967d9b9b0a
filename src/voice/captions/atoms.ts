import type { TextRange } from '../timing/offset-map.ts'
import { heardOf, type JobTiming, type TimedRange } from '../timing/speech-timing.ts'
import { columnsOf, LINE_COLUMNS } from './columns.ts'

/** A word with its punctuation, which captions never cut; times in milliseconds. */
export interface Atom {
  readonly text: string
  readonly columns: number
  readonly from: number
  readonly to: number
  readonly isSpaced: boolean
}

const CLAUSE_END = /[,;:–—…、，；：]["'”’»)\]]*$/u
const OPENING = /[\p{Ps}\p{Pi}¿¡]+$/u
const BLANKS = /[\s\p{Cc}]+/gu
const BLANK_FIRST = /^[\s\p{Cc}]/u
const BLANK_LAST = /[\s\p{Cc}]$/u

export const isGlued = ({ text, columns, isSpaced }: Atom): boolean => !isSpaced && columns <= text.length

export const endsClause = ({ text }: Atom): boolean => CLAUSE_END.test(text)

export function atomsOf(text: string, { words, sentences, heard }: JobTiming): Atom[][] {
  const show = (range: TextRange): string => heardOf(text, heard, range)
  let next = 0
  return sentences.flatMap((sentence) => {
    const own: TimedRange[] = []
    while (next < words.length && words[next]!.start < sentence.end) own.push(words[next++]!)
    let before = show({ start: Math.max(0, sentence.start - 1), end: sentence.start })
    const atoms = pieces(text, sentence, own).flatMap((piece) => {
      const shown = show(piece)
      const atom = toAtom(piece, shown, before)
      before = shown
      return cutLong(atom)
    })
    return atoms.length > 0 ? [atoms] : []
  })
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
