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
  /** Text that begins a chapter without a heading, and names it. */
  readonly opening?: TextRange
}

/** Longer titles do not fit into the lists of players. */
const MAX_TITLE_CHARACTERS = 80
const ENDS_SENTENCE = /[\p{Sentence_Terminal},;:…、，；：\p{Pd}][\p{Pe}\p{Pf}"'’”»]*$/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const BLANK = /\s+/gu
/** So many blank lines, or more, begin a chapter as well. */
const WIDE_GAP_LINES = 2

/** A heading that is heard; `from` and `to` count the words before it and its text. */
interface Begin {
  readonly title: string
  readonly start: number
  readonly from: number
  readonly to: number
}

/**
 * Finds the chapters of a spoken text: the headings of Markdown, the marks of SSML, in other texts single lines between blank lines that
 * end like no sentence, and what stands behind two blank lines. Headings with nothing between them are one. None: the text has no such
 * place. The first one begins with the recording. Pure.
 */
export function chaptersOf({ text, timing, durationMs, markup }: TimedJob): Chapter[] {
  const { words } = timing
  const heard = heardIn(text, timing.heard)
  const begins: Begin[] = []
  for (const { title, opening, start, end } of headingsOf(text, markup)) {
    const range = { start, end }
    const begin = { title: shortened(title ?? heard(opening ?? range)), start, ...placesIn(words, range) }
    const before = begins.at(-1)
    // A heading behind the last word is not heard.
    if (begin.title === '' || begin.from === words.length) continue
    if (before === undefined || begin.from > before.to) begins.push(begin)
    else if (opening === undefined)
      begins[begins.length - 1] = { ...before, title: shortened(`${before.title} ${begin.title}`), to: begin.to }
  }
  const [first] = begins
  if (first === undefined) return []
  const opening = first.from > 0 ? shortened(heard({ start: 0, end: first.start })) : ''
  const all = opening === '' ? begins : [{ ...first, title: opening, start: 0 }, ...begins]
  const codePoints = countCodePoints(text)
  return all.map(({ title, start, from }, index) => ({
    ...{ title, offset: codePoints(start) },
    fromMs: index === 0 ? 0 : words[from]!.from,
    toMs: index === all.length - 1 ? durationMs : words[all[index + 1]!.from]!.from,
  }))
}

function placesIn(words: TimedJob['timing']['words'], { start, end }: TextRange): { from: number; to: number } {
  const placeOf = (offset: number): number => {
    let [low, high] = [0, words.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (words[middle]!.start >= offset) high = middle
      else low = middle + 1
    }
    return low
  }
  return { from: placeOf(start), to: placeOf(end) }
}

function headingsOf(text: string, markup: string | null): readonly Heading[] {
  if (markup === 'markdown') return highest(markdownHeadings(text))
  if (markup === 'ssml') return marksIn(text).map(({ name, at }) => ({ start: at, end: at, title: name }))
  return plainHeadings(text)
}

/** The headings down to the first level that occurs more than once: others part a chapter. */
function highest(headings: readonly (Heading & { readonly level: number })[]): readonly Heading[] {
  const counts = new Map<number, number>()
  for (const { level } of headings) counts.set(level, (counts.get(level) ?? 0) + 1)
  const repeated = [...counts].filter(([, count]) => count > 1).map(([level]) => level)
  const lowest = Math.min(...repeated)
  return headings.filter(({ level }) => level <= lowest)
}

function plainHeadings(text: string): Heading[] {
  const blocks = blocksOf(text)
  return blocks.flatMap(({ start, end, gapLines }, index) => {
    if (index < blocks.length - 1 && isHeading(text.slice(start, end))) return [{ start, end }]
    return index > 0 && gapLines >= WIDE_GAP_LINES ? [{ start, end: start, opening: { start, end } }] : []
  })
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

function shortened(title: string): string {
  const whole = title.trim().replace(BLANK, ' ')
  const characters = Array.from(whole)
  if (characters.length <= MAX_TITLE_CHARACTERS) return whole
  const cut = characters.slice(0, MAX_TITLE_CHARACTERS - 1).join('')
  return `${cut.replace(/\s+\S*$/u, '')}…`
}
