import { createRequire } from 'node:module'
import segment from 'sentencex'
import type { Language } from '../engines/espeak/detect-language.ts'
import type { read as Read } from '../reading/read.ts'

// The rules load slowly, so the first period that may belong to an abbreviation loads them.
const load = createRequire(import.meta.url)
let read: typeof Read | undefined

/** Models drift, hurry and cut off longer texts. */
const MAX_CHARACTERS = 400
const IDEAL_CHARACTERS = 300
const OPENING_MIN_CHARACTERS = 40
const OPENING_MAX_CHARACTERS = 120
const CUT_COSTS: Readonly<Record<Pause, number>> = { paragraph: 0, sentence: 1000, clause: 25_000, none: 80_000 }
const CLAUSE_END = /[,;:–—…](?=\s)|[、，；：]|\n/gu

const SENTENCEX_CODES: Partial<Record<Language, string>> = {
  English: 'en',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Japanese: 'ja',
  Portuguese: 'pt',
  Russian: 'ru',
  Spanish: 'es',
}
const LOCALES: Partial<Record<Language, string>> = { Chinese: 'zh', Korean: 'ko' }
/** sentencex takes quadratic time, so it reads stretches of this length, and takes the sentences of the first half. */
const STRETCH_CHARACTERS = 1000
const MANY_STOPS = 200
const LEAST_CHARACTERS = 8
const STOP = /[\p{Sentence_Terminal}:;…․‥]/gu
const PARAGRAPH_BREAK = /\n\s*\n/g
/** Words with a period that may be abbreviations, and ordinals of German. */
const ABBREVIATED = /(?<![\p{L}\p{N}])(?:\p{L}[\p{L}.-]{0,11}|\d{1,4})(?=\.\s*$)/u
const AROUND = 40
const INITIAL = /(?:^|\s)\p{Lu}\.\s*$/u

export type Pause = 'paragraph' | 'sentence' | 'clause' | 'none'

/** A part of a text that an engine speaks by itself, and the pause after it; `start` in UTF-16 units. */
export interface Chunk {
  readonly text: string
  readonly start: number
  readonly pause: Pause
}

interface Piece {
  readonly start: number
  readonly end: number
  readonly pause: Pause
}

interface Break {
  readonly at: number
  readonly kind: 'paragraph' | 'sentence'
}

/** Reads only the white space at the end: a pattern would try each line break of a long text. */
export const endsParagraph = (text: string): boolean => /\n[^\n]*\n/.test(text.slice(text.trimEnd().length))

/**
 * Splits a text into chunks of 200 to 400 UTF-16 units, preferably at sentences, and loses only white space. A short text is one
 * chunk. Pure.
 */
export function splitText(text: string, language: Language | undefined): Chunk[] {
  if (text.length <= MAX_CHARACTERS) return [{ text, start: 0, pause: 'none' }]
  const pieces = cutLong(text, language, piecesBetween(0, text.length, findSentences(text, language)))
  return pack(pieces)
    .map((piece) => chunkOf(text, piece))
    .filter((chunk) => chunk.text !== '')
}

/** Splits like `splitText` but makes the first chunk short, so that sound starts early. Pure. */
export function splitForListener(text: string, language: Language | undefined): Chunk[] {
  const opening = findOpening(text, language)
  if (opening === null) return splitText(text, language)
  const rest = splitText(text.slice(opening.end), language).map((chunk) => ({
    ...chunk,
    start: chunk.start + opening.end,
  }))
  return [chunkOf(text, opening), ...rest]
}

function findOpening(text: string, language: Language | undefined): Piece | null {
  const head = text.slice(0, OPENING_MAX_CHARACTERS)
  const isGood = ({ at }: { at: number }) =>
    at >= OPENING_MIN_CHARACTERS &&
    at <= OPENING_MAX_CHARACTERS &&
    text.slice(at).trim().length >= OPENING_MIN_CHARACTERS
  const breaks = findSentences(text.slice(0, MAX_CHARACTERS), language).filter(isGood)
  const clauses = clauseBreaks(text, language, { start: 0, end: head.length, pause: 'none' }).filter(isGood)
  const found = breaks[0] ?? clauses.at(-1)
  return found === undefined ? null : { start: 0, end: found.at, pause: found.kind }
}

function chunkOf(text: string, { start, end, pause }: Piece): Chunk {
  const piece = text.slice(start, end)
  return { text: piece.trim(), start: start + piece.length - piece.trimStart().length, pause }
}

function piecesBetween(start: number, end: number, breaks: readonly { at: number; kind: Pause }[]): Piece[] {
  const starts = [start, ...breaks.map(({ at }) => at)]
  return starts
    .map((from, index) => ({ start: from, end: breaks[index]?.at ?? end, pause: breaks[index]?.kind ?? 'none' }))
    .filter((piece) => piece.end > piece.start)
}

function cutLong(text: string, language: Language | undefined, sentences: readonly Piece[]): Piece[] {
  return sentences.flatMap((sentence) => {
    if (sentence.end - sentence.start <= MAX_CHARACTERS) return [sentence]
    const breaks = clauseBreaks(text, language, sentence)
    const clauses = withLast(piecesBetween(sentence.start, sentence.end, breaks), sentence.pause)
    return clauses.flatMap((clause) => cutAtWords(text, language, clause))
  })
}

const withLast = (pieces: readonly Piece[], pause: Pause): Piece[] =>
  pieces.map((piece, index) => (index === pieces.length - 1 ? { ...piece, pause } : piece))

function clauseBreaks(
  text: string,
  language: Language | undefined,
  { start, end }: Piece,
): { at: number; kind: Pause }[] {
  return [...text.slice(start, end).matchAll(CLAUSE_END)]
    .map((match) => ({ at: start + match.index + match[0].length, kind: 'clause' as const }))
    .filter(({ at }) => at < end && mayBreak(text, at, language))
}

function cutAtWords(text: string, language: Language | undefined, clause: Piece): Piece[] {
  const pieces: Piece[] = []
  let { start } = clause
  while (clause.end - start > MAX_CHARACTERS) {
    const at = start + wordBreak(text, language, start)
    pieces.push({ start, end: at, pause: 'none' })
    start = at
  }
  return [...pieces, { ...clause, start }]
}

function wordBreak(text: string, language: Language | undefined, start: number): number {
  const window = text.slice(start, start + MAX_CHARACTERS + 1)
  const fits = (length: number) => length > 0 && length <= MAX_CHARACTERS && mayBreak(text, start + length, language)
  const spaces = [...window.matchAll(/\s/gu)].map(({ index }) => index)
  const space = spaces.findLast(fits)
  if (space !== undefined) return space
  const words = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(window)].map(({ index }) => index)
  const word = words.findLast(fits) ?? spaces.findLast((index) => index > 0)
  if (word !== undefined) return word
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(window)]
  const last = characters.map(({ index }) => index).findLast((index) => index > 0 && index <= MAX_CHARACTERS)
  return last ?? MAX_CHARACTERS
}

function pack(pieces: readonly Piece[]): Piece[] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }]
  for (let to = 1; to <= pieces.length; to++) {
    let cheapest = { cost: Number.POSITIVE_INFINITY, from: to - 1 }
    for (let from = to - 1; from >= 0; from--) {
      const length = pieces[to - 1]!.end - pieces[from]!.start
      if (length > MAX_CHARACTERS && from < to - 1) break
      const cut = to === pieces.length ? 0 : CUT_COSTS[pieces[to - 1]!.pause]
      const cost = best[from]!.cost + (length - IDEAL_CHARACTERS) ** 2 + cut
      if (cost < cheapest.cost) cheapest = { cost, from }
    }
    best.push(cheapest)
  }
  const chunks: Piece[] = []
  for (let to = pieces.length; to > 0; to = best[to]!.from) {
    chunks.unshift({ ...pieces[to - 1]!, start: pieces[best[to]!.from]!.start })
  }
  return chunks
}

/** Finds the ends of sentences in order, without the end of the text. */
export function findSentences(text: string, language: Language | undefined): Break[] {
  const breaks: Break[] = []
  let start = 0
  for (const gap of [...text.matchAll(PARAGRAPH_BREAK), undefined]) {
    const end = gap === undefined ? text.length : gap.index
    for (const at of sentenceEnds(text.slice(start, end), language)) {
      if (mayBreak(text, start + at, language)) breaks.push({ at: start + at, kind: 'sentence' })
    }
    if (gap === undefined) break
    start = end + gap[0].length
    breaks.push({ at: start, kind: 'paragraph' })
  }
  return breaks.filter(({ at }) => at > 0 && at < text.length)
}

function mayBreak(text: string, at: number, language: Language | undefined): boolean {
  const before = text.slice(Math.max(0, at - 16), at)
  const isInNumber = /\d[.,'’:/]?\s?$/u.test(before) && /^\s?\d/u.test(text.slice(at, at + 2))
  return !isInNumber && !INITIAL.test(before) && !isAbbreviated(text, at, language)
}

/** If the reading says the word before a period in full, or as an ordinal: then the period ends no sentence. */
function isAbbreviated(text: string, at: number, language: Language | undefined): boolean {
  const before = text.slice(Math.max(0, at - AROUND), at)
  const word = ABBREVIATED.exec(before)
  if (word === null) return false
  read ??= (load('../reading/read.ts') as { read: typeof Read }).read
  const period = Array.from(before.slice(0, word.index + word[0].length)).length
  const { tokens } = read(before + text.slice(at, at + AROUND), language ?? 'English')
  return tokens.some(
    ({ start, length, spoken }) => start <= period && period < start + length && !/[.]\s*$/.test(spoken),
  )
}

function sentenceEnds(paragraph: string, language: Language | undefined): number[] {
  const code = language && SENTENCEX_CODES[language]
  const found = code !== undefined && !isAllStops(paragraph) ? endsInStretches(paragraph, code) : null
  if (found !== null) return found
  const segmenter = new Intl.Segmenter((language && LOCALES[language]) ?? 'en', { granularity: 'sentence' })
  return [...segmenter.segment(paragraph)].map(({ index, segment: sentence }) => index + sentence.length).slice(0, -1)
}

const isAllStops = (paragraph: string): boolean => {
  const stops = paragraph.match(STOP)?.length ?? 0
  return stops > MANY_STOPS && stops * LEAST_CHARACTERS > paragraph.length
}

/** A stretch without a sentence in its first half is read again at twice the length: it may lie within a long quotation. */
function endsInStretches(paragraph: string, code: string): number[] | null {
  const ends: number[] = []
  for (let [start, length] = [0, STRETCH_CHARACTERS]; ; ) {
    const stretch = paragraph.slice(start, start + length)
    const found = locate(segment(code, stretch), stretch)
    if (found === null) return null
    const isLast = start + length >= paragraph.length
    const own = found.filter((at) => isLast || at <= length / 2).map((at) => start + at)
    ends.push(...own)
    if (isLast) return ends
    start = own.at(-1) ?? start
    length = own.length > 0 ? STRETCH_CHARACTERS : 2 * length
  }
}

function locate(sentences: readonly string[], paragraph: string): number[] | null {
  const ends: number[] = []
  let cursor = 0
  for (const sentence of sentences.map((one) => one.trim()).filter((one) => one !== '')) {
    const at = paragraph.indexOf(sentence, cursor)
    if (at < 0) return null
    cursor = at + sentence.length
    ends.push(cursor)
  }
  return ends.slice(0, -1)
}
