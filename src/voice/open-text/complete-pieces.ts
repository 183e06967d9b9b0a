import type { Markup } from '../../catalog/markups.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import { readScript } from '../markup/read-script.ts'
import { MarkupViolation } from '../markup/script.ts'
import { SPEAKABLE } from '../speak-text.ts'
import { endsParagraph, findSentences, splitForListener, splitText } from '../split.ts'

/** A first sentence of this length is cut at a clause, and speech begins. */
const LONG_OPENING_CHARACTERS = 120
const LONGEST_PIECE_CHARACTERS = 800
/** Ends in open markup are tried so often, and the last one, so that each message costs its length only. */
const MOST_OPEN_ENDS = 20
/** The beginning of a sentence that might follow. */
const NEXT = 'It is'
/** A number with a dot may be an ordinal, or the first half of another number. */
const SENTENCE_MAY_END = /[。！？]["'”’»」』）)\]]*\s*$|(?<!\p{N})[.!?…]["'”’»)\]]*\s+$/u
const BRACKETS = /[[\]]/g

interface Writing {
  readonly language: Language | undefined
  readonly markup: Markup
  /** Nothing was spoken yet. */
  readonly isFirst: boolean
  /** No more text comes, or the caller does not want to wait for it. */
  readonly isFlushed: boolean
}

/**
 * Cuts the complete sentences from a text that is still written. Loses nothing: the rest is what follows the last piece. A sentence
 * whose markup is open is not complete. Pure.
 */
export function completePieces(text: string, { language, markup, isFirst, isFlushed }: Writing): string[] {
  const ends = sentenceEnds(text, language)
  if (ends.length === 0 && isFirst && text.length >= LONG_OPENING_CHARACTERS)
    ends.push(
      ...splitForListener(text, language)
        .slice(1, 2)
        .map(({ start }) => start),
    )
  if (ends.length === 0 && text.length > LONGEST_PIECE_CHARACTERS)
    ends.push(
      ...splitText(text, language)
        .slice(1)
        .map(({ start }) => start),
    )
  if (isFlushed && text !== '') ends.push(text.length)
  const pieces: string[] = []
  let [start, misses] = [0, 0]
  for (const end of ends) {
    if (misses >= MOST_OPEN_ENDS && end !== ends.at(-1)) continue
    const piece = text.slice(start, end)
    const isLast = isFlushed && end === text.length
    misses++
    if (!SPEAKABLE.test(piece) || !(isLast || isWhole(piece, markup))) continue
    pieces.push(piece)
    start = end
    misses = 0
  }
  return pieces
}

function sentenceEnds(text: string, language: Language | undefined): number[] {
  const probe = SENTENCE_MAY_END.test(text) || endsParagraph(text) ? NEXT : ''
  return findSentences(text + probe, language)
    .map(({ at }) => Math.min(text.length, at + /^\s*/.exec(text.slice(at))![0].length))
    .filter((at, index, all) => at > 0 && at !== all[index - 1] && (probe !== '' || at < text.length))
}

function isWhole(piece: string, markup: Markup): boolean {
  if (markup === 'markdown')
    return isBalanced(piece) && ['**', '__', '`'].every((mark) => piece.split(mark).length % 2 === 1)
  if (markup === 'pauses') return isBalanced(piece)
  if (markup === 'none') return true
  try {
    readScript(piece, markup)
    return true
  } catch (error) {
    if (error instanceof MarkupViolation) return false
    throw error
  }
}

const isBalanced = (piece: string): boolean =>
  (piece.match(BRACKETS) ?? []).reduce((open, bracket) => open + (bracket === '[' ? 1 : -1), 0) <= 0
