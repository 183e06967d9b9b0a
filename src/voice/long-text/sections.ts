import type { Language } from '../../engines/espeak/detect-language.ts'
import type { Passage } from '../markup/job-script.ts'
import { findSentences } from '../split.ts'

/** A longer spoken text is kept chunk by chunk while the engine speaks it. */
const LONG_CHARACTERS = 6000
const SECTION_CHARACTERS = 8000
const PARAGRAPH_BREAK = /\n\s*\n/g

/** A stretch of a long text that is split and timed by itself; offsets in UTF-16 units of the spoken text. */
export interface Section {
  readonly start: number
  readonly end: number
  readonly passages: readonly Passage[]
}

export const isLong = (spoken: string): boolean => spoken.length > LONG_CHARACTERS

/**
 * Cuts a text into sections of about 8,000 characters that end where a paragraph or a sentence does. Pure.
 * @param passages absent: the text has one manner
 */
export function* sectionsOf(
  text: string,
  passages: readonly Passage[] | undefined,
  language: Language | undefined,
): Generator<Section, void> {
  const whole: Passage = { start: 0, end: text.length, pause: 'none', silenceMs: 0, change: {} }
  let own: Passage[] = []
  const close = (): Section => {
    const section = { start: own[0]!.start, end: own.at(-1)!.end, passages: own }
    own = []
    return section
  }
  for (const passage of passages ?? [whole])
    for (const piece of piecesOf(text, passage, language)) {
      own.push(piece)
      const length = piece.end - own[0]!.start
      if (length >= 2 * SECTION_CHARACTERS || (length >= SECTION_CHARACTERS && endsSentence(piece))) yield close()
    }
  if (own.length > 0) yield close()
}

const endsSentence = ({ pause, silenceMs }: Passage): boolean =>
  silenceMs > 0 || pause === 'paragraph' || pause === 'sentence'

/** Cuts a passage at paragraphs, or at sentences of a paragraph that is longer than a section. */
function* piecesOf(text: string, passage: Passage, language: Language | undefined): Generator<Passage, void> {
  let { start } = passage
  while (passage.end - start > SECTION_CHARACTERS) {
    const { at, pause } = cutIn(text.slice(start, start + SECTION_CHARACTERS), language)
    yield { ...passage, start, end: start + at, pause, silenceMs: 0 }
    start += at
  }
  yield { ...passage, start }
}

function cutIn(text: string, language: Language | undefined): Pick<Passage, 'pause'> & { readonly at: number } {
  const paragraph = [...text.matchAll(PARAGRAPH_BREAK)].at(-1)
  if (paragraph !== undefined && paragraph.index > 0)
    return { at: paragraph.index + paragraph[0].length, pause: 'paragraph' }
  const sentence = findSentences(text, language).at(-1)
  if (sentence !== undefined) return { at: sentence.at, pause: 'sentence' }
  const space = text.search(/\s\S*$/u)
  if (space > 0) return { at: space, pause: 'none' }
  // No character is cut in two.
  return { at: text.length - (/[\ud800-\udbff]$/.test(text) ? 1 : 0), pause: 'none' }
}
