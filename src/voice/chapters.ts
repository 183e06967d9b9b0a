import { countCodePoints } from './captions/voice-job-captions.ts'
import { markdownHeadings } from './markup/markdown.ts'
import { marksIn } from './markup/xml-tokens.ts'
import type { TimedJob } from './timing/job-timing.ts'
import type { TextRange } from './timing/offset-map.ts'
import { heardIn } from './timing/speech-timing.ts'

/** A chapter of a recording: `offset` in code points of the submitted text, times in milliseconds. */
export interface Chapter {
  readonly title: string
  readonly offset: number
  readonly fromMs: number
  readonly toMs: number
}

interface Heading extends TextRange {
  /** Absent: the text of the heading. */
  readonly title?: string
}

/** Longer titles do not fit into the lists of players. */
const MAX_TITLE_CHARACTERS = 80
const ENDS_SENTENCE = /[\p{Sentence_Terminal},;:…、，；：\p{Pd}][\p{Pe}\p{Pf}"'’”»]*$/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const BLANK = /\s+/gu
/** So many blank lines, or more, begin a chapter as well. */
const WIDE_GAP_LINES = 2

/**
 * Finds the chapters of a spoken text: the headings of Markdown, the marks of SSML, in other texts single lines between blank lines that
 * end like no sentence, and what stands behind two blank lines. None: the text has no such place. The first one begins with the recording.
 * Pure.
 */
export function chaptersOf({ text, timing, durationMs, markup }: TimedJob): Chapter[] {
  const headings = headingsOf(text, markup)
  if (headings.length === 0) return []
  const heard = heardIn(text, timing.heard)
  const first = headings[0]!.start
  const isLate = timing.words.some(({ start }) => start < first)
  const all: readonly Heading[] = isLate ? [{ start: 0, end: first }, ...headings] : headings
  const codePoints = countCodePoints(text)
  const times = timesOf(all, timing.words, durationMs)
  const chapters = all.map(({ title, ...range }, index) => ({
    title: shortened(title ?? heard(range)),
    offset: codePoints(range.start),
    fromMs: index === 0 ? 0 : times[index]!,
    toMs: times[index + 1] ?? durationMs,
  }))
  // A heading that is not heard, such as one behind the last word, is no chapter.
  return chapters.filter(({ title, fromMs, toMs }) => title !== '' && toMs > fromMs)
}

function headingsOf(text: string, markup: string | null): readonly Heading[] {
  if (markup === 'markdown') return highest(markdownHeadings(text))
  if (markup === 'ssml') return marksIn(text).map(({ name, at }) => ({ start: at, end: at, title: name }))
  return plainHeadings(text)
}

/** The headings down to the first level that occurs more than once: others part a chapter. */
function highest(headings: readonly (Heading & { readonly level: number })[]): readonly Heading[] {
  const levels = headings.map(({ level }) => level)
  const lowest = Math.min(...levels.filter((level) => levels.filter((other) => other === level).length > 1))
  return headings.filter(({ level }) => level <= lowest).map(({ start, end }) => ({ start, end }))
}

function plainHeadings(text: string): Heading[] {
  const headings: Heading[] = []
  const blocks = blocksOf(text)
  let isTitle = false
  for (const [index, { start, end, gapLines }] of blocks.entries()) {
    const wasTitle = isTitle
    isTitle = isHeading(text.slice(start, end)) && index < blocks.length - 1
    // "Part one" and "The journey" in lines of their own are one heading.
    if (isTitle && wasTitle) headings[headings.length - 1] = { start: headings.at(-1)!.start, end }
    else if (isTitle || (index > 0 && gapLines >= WIDE_GAP_LINES && !wasTitle)) headings.push({ start, end })
  }
  return headings
}

interface Block extends TextRange {
  /** Blank lines before it. */
  readonly gapLines: number
}

/** Runs of lines that are not blank. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let [at, gapLines, isOpen] = [0, 0, false]
  for (const line of text.split('\n')) {
    const end = at + line.trimEnd().length
    if (end === at) gapLines++
    else if (isOpen && gapLines === 0) blocks.push({ ...blocks.pop()!, end })
    else blocks.push({ start: at + line.length - line.trimStart().length, end, gapLines })
    if (end > at) gapLines = 0
    isOpen = true
    at += line.length + 1
  }
  return blocks
}

const isHeading = (block: string): boolean =>
  block.length <= MAX_TITLE_CHARACTERS &&
  !block.includes('\n') &&
  LETTER_OR_DIGIT.test(block) &&
  !ENDS_SENTENCE.test(block)

/** When the first word of each heading, or behind it, is heard. */
function timesOf(headings: readonly TextRange[], words: TimedJob['timing']['words'], durationMs: number): number[] {
  let next = 0
  return headings.map(({ start }) => {
    while (next < words.length && words[next]!.start < start) next++
    return words[next]?.from ?? durationMs
  })
}

function shortened(title: string): string {
  const whole = title.trim().replace(BLANK, ' ')
  const characters = Array.from(whole)
  if (characters.length <= MAX_TITLE_CHARACTERS) return whole
  const cut = characters.slice(0, MAX_TITLE_CHARACTERS - 1).join('')
  return `${cut.replace(/\s+\S*$/u, '')}…`
}
