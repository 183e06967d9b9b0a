import type { Markup } from '../../catalog/markups.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import { readScript } from '../markup/read-script.ts'
import { MarkupViolation } from '../markup/script.ts'
import { hasTags } from '../markup/xml-tokens.ts'
import { SPEAKABLE } from '../speak-text.ts'
import { endsParagraph, findSentences, splitForListener, splitText } from '../split.ts'

/** A first sentence of this length is cut at a clause, and speech begins. */
const LONG_OPENING_CHARACTERS = 120
const LONGEST_PIECE_CHARACTERS = 800
/** The beginning of a sentence that might follow. */
const NEXT = 'It is'
/** A number with a dot may be an ordinal, or the first half of another number. */
const SENTENCE_MAY_END = /[。！？]["'”’»」』）)\]]*\s*$|(?<!\p{N})[.!?…]["'”’»)\]]*\s+$/u
const BRACKETS = /[[\]]/g
const MARKS = ['**', '__', '`']
const DOCUMENT_END = /<\/speak\s*>/

interface Writing {
  readonly language: Language | undefined
  readonly markup: Markup
}

/**
 * Cuts the complete sentences from a text while it is written. Loses nothing. A sentence whose markup is open is not complete. Each
 * call reads the sentence that is not complete yet and no other, so that a message costs its own length.
 */
export class PieceCutter {
  readonly #writing: Writing
  #rest = ''
  /** The rest is read up to here: sentences that could not be cut. */
  #read = 0
  #stretch: Stretch
  #isFirst = true

  constructor(writing: Writing) {
    this.#writing = writing
    this.#stretch = new Stretch(writing.markup)
  }

  /** The text that is not cut yet. */
  get rest(): string {
    return this.#rest
  }

  add(text: string): void {
    this.#rest += text
  }

  /**
   * Returns the complete pieces, in order.
   * @param isFlushed no more text comes, or the caller does not want to wait for it
   */
  take(isFlushed: boolean): string[] {
    const pieces: string[] = []
    let start = 0
    for (const end of this.#ends(isFlushed)) {
      this.#stretch.add(this.#rest.slice(this.#read, end))
      this.#read = end
      const piece = this.#rest.slice(start, end)
      const isLast = isFlushed && end === this.#rest.length
      if (!this.#stretch.isSpeakable || !(isLast || this.#stretch.isClosed(piece))) continue
      pieces.push(piece)
      start = end
      this.#stretch = new Stretch(this.#writing.markup)
      this.#isFirst = false
    }
    this.#rest = this.#rest.slice(start)
    this.#read -= start
    return pieces
  }

  #ends(isFlushed: boolean): number[] {
    const { language } = this.#writing
    const text = this.#rest.slice(this.#read)
    const ends = sentenceEnds(text, language)
    if (ends.length === 0 && this.#isFirst && this.#read === 0 && text.length >= LONG_OPENING_CHARACTERS)
      ends.push(...startsOf(splitForListener(text, language).slice(0, 2)))
    if (ends.length === 0 && text.length > LONGEST_PIECE_CHARACTERS) ends.push(...startsOf(splitText(text, language)))
    if (isFlushed && text !== '') ends.push(text.length)
    return ends.map((end) => this.#read + end)
  }
}

const startsOf = (chunks: readonly { readonly start: number }[]): number[] => chunks.slice(1).map(({ start }) => start)

function sentenceEnds(text: string, language: Language | undefined): number[] {
  const probe = SENTENCE_MAY_END.test(text) || endsParagraph(text) ? NEXT : ''
  return findSentences(text + probe, language)
    .map(({ at }) => Math.min(text.length, at + /^\s*/.exec(text.slice(at))![0].length))
    .filter((at, index, all) => at > 0 && at !== all[index - 1] && (probe !== '' || at < text.length))
}

/** The markup of sentences that may become one piece. */
class Stretch {
  readonly #markup: Markup
  readonly #unpaired = new Set<string>()
  #brackets = 0
  #hasTags = false
  /** A document that could not be read stays so: its violation stands before what follows. */
  #isRefused = false
  #mayEnd = false
  isSpeakable = false

  constructor(markup: Markup) {
    this.#markup = markup
  }

  add(text: string): void {
    this.isSpeakable ||= SPEAKABLE.test(text)
    for (const bracket of text.match(BRACKETS) ?? []) this.#brackets += bracket === '[' ? 1 : -1
    for (const mark of MARKS) {
      if (text.split(mark).length % 2 === 1) continue
      if (!this.#unpaired.delete(mark)) this.#unpaired.add(mark)
    }
    this.#hasTags ||= hasTags(text)
    this.#mayEnd = DOCUMENT_END.test(text)
  }

  /** @param whole all that was added */
  isClosed(whole: string): boolean {
    if (this.#markup === 'none') return true
    if (this.#markup === 'ssml') return !this.#hasTags || (this.#mayEnd && this.#isReadable(whole))
    return this.#brackets <= 0 && (this.#markup === 'pauses' || this.#unpaired.size === 0)
  }

  #isReadable(document: string): boolean {
    if (this.#isRefused) return false
    try {
      readScript(document, 'ssml')
      return true
    } catch (error) {
      if (!(error instanceof MarkupViolation)) throw error
      this.#isRefused = true
      return false
    }
  }
}
