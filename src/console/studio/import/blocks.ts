/** A paragraph of a file; one with a level is a heading, 1 the highest. */
export interface Block {
  readonly text: string
  readonly level?: number
}

export interface ImportedChapter {
  readonly title: string
  readonly paragraphs: readonly string[]
}

/** The text of a file. `name` is '' if the file does not say its title. */
export interface Imported {
  readonly name: string
  readonly chapters: readonly ImportedChapter[]
  /** A guess, or what the user chose, where the file does not say how its letters are written. */
  readonly encoding?: string
}

/** The message is a sentence for the user. */
export class ImportError extends Error {}

/** The bounds of a project. */
export const MAX_CHARACTERS = 1_000_000
export const MAX_PARAGRAPHS = 5000
const MAX_CHAPTERS = 500
export const MAX_PARAGRAPH = 10_000
export const MAX_CHAPTER_PARAGRAPHS = 2000
/** A chapter is sent at once: the service takes 1 MiB, of which a character may take three bytes and a paragraph some more. */
const MAX_CHAPTER_CHARACTERS = 250_000
const MAX_TITLE = 200

/** A part, its chapter and a subtitle; more lines of this kind in a row are a list. */
const MAX_HEADINGS = 3

const ENDS_SENTENCE = /[\p{Sentence_Terminal},;:…、，；：\p{Pd}][\p{Pe}\p{Pf}"'’”»]*$/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** The service's chapters of a recording follow the same rule. */
const MAX_HEADING = 80

/** Says if a line that stands alone looks like a heading: it is short and ends like no sentence. */
export const isHeadingLine = (line: string): boolean =>
  line.length <= MAX_HEADING && !line.includes('\n') && LETTER_OR_DIGIT.test(line) && !ENDS_SENTENCE.test(line)

/** Single spaces, single line breaks, no character that no one sees. */
export const tidy = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u00AD\u200B\u2060\uFEFF]/g, '')
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()

/**
 * Headings down to the first level that occurs more than once begin chapters. They stay in the text, which says them. A heading above all others
 * that begins the text is its name.
 */
export function outlined(blocks: readonly Block[]): Imported {
  const filled = blocks.map((block) => ({ ...block, text: tidy(block.text) })).filter(({ text }) => text !== '')
  const levels = filled.flatMap(({ level }) => level ?? [])
  const isTop = levels.length > 1 && levels.indexOf(Math.min(...levels)) === 0 && !levels.includes(levels[0] ?? 0, 1)
  const first = isTop ? filled.find(({ level }) => level !== undefined) : undefined
  const lowest = Math.min(...levels.filter((level, at) => levels.indexOf(level) !== at))
  const chapters: { title: string; paragraphs: string[]; isOpen: boolean }[] = []
  let headings = 0
  for (const block of filled) {
    const { text, level } = block
    const isBegin = level !== undefined && level <= lowest
    const title = block === first || !isBegin ? '' : titleOf(text)
    const last = chapters.at(-1)
    headings = isBegin ? headings + 1 : 0
    if (last === undefined || (isBegin && !last.isOpen)) chapters.push({ title, paragraphs: [text], isOpen: isBegin })
    else {
      last.paragraphs.push(text)
      // A heading right behind another one belongs to that.
      if (last.isOpen && isBegin && headings <= MAX_HEADINGS)
        last.title = titleOf([last.title, title].filter((one) => one !== '').join(' – '))
      last.isOpen &&= isBegin
    }
  }
  return {
    name: first === undefined ? '' : titleOf(first.text),
    chapters: chapters.map(({ title, paragraphs }) => ({ title, paragraphs })),
  }
}

/** A title in one line that a project takes. */
export function titleOf(text: string): string {
  const line = tidy(text).replaceAll('\n', ' ')
  const letters = [...line]
  return letters.length <= MAX_TITLE ? line : `${letters.slice(0, MAX_TITLE - 1).join('')}…`
}

/**
 * The chapters as a project takes them: those without a title are numbered, and paragraphs that are too long are parted between sentences.
 * @throws ImportError there is nothing, or too much
 */
export function bounded(chapters: readonly ImportedChapter[]): ImportedChapter[] {
  const parted = fewer(
    chapters
      .map(({ title, paragraphs }) => ({ title: titleOf(title), paragraphs: paragraphs.map(tidy).flatMap(parts) }))
      .filter(({ paragraphs }) => paragraphs.length > 0)
      .flatMap(shorter)
      .map(({ title, paragraphs }, index) => ({ title: title === '' ? `Chapter ${index + 1}` : title, paragraphs })),
  )
  const all = parted.flatMap(({ paragraphs }) => paragraphs)
  if (all.length === 0) throw new ImportError('There is no text in it.')
  const length = all.reduce((sum, text) => sum + text.length, 0)
  if (length > MAX_CHARACTERS)
    throw new ImportError(
      `It has ${said(length)} characters; a project takes ${said(MAX_CHARACTERS)}. Part it into several files.`,
    )
  if (all.length > MAX_PARAGRAPHS)
    throw new ImportError(
      `It has ${said(all.length)} paragraphs; a project takes ${said(MAX_PARAGRAPHS)}. Part it into several files.`,
    )
  if (parted.length > MAX_CHAPTERS)
    throw new ImportError(
      `It has ${said(parted.length)} chapters; a project takes ${said(MAX_CHAPTERS)}. Part it into several files.`,
    )
  return parted
}

/** Chapters joined to their neighbours where there are more than a project takes. */
function fewer(chapters: readonly ImportedChapter[]): ImportedChapter[] {
  if (chapters.length <= MAX_CHAPTERS) return [...chapters]
  const size = Math.ceil(chapters.length / MAX_CHAPTERS)
  return Array.from({ length: Math.ceil(chapters.length / size) }, (_, at) => {
    const joined = chapters.slice(at * size, (at + 1) * size)
    const titles = [joined[0], joined.at(-1)].map((one) => one?.title ?? '')
    const title = titleOf([...new Set(titles)].join(' – '))
    return shorter({ title, paragraphs: joined.flatMap(({ paragraphs }) => paragraphs) })
  }).flat()
}

/** A chapter in parts that a project can hold. */
function shorter({ title, paragraphs }: ImportedChapter): ImportedChapter[] {
  const found: string[][] = [[]]
  let length = 0
  for (const text of paragraphs) {
    length += text.length
    if (length > MAX_CHAPTER_CHARACTERS || found.at(-1)?.length === MAX_CHAPTER_PARAGRAPHS) {
      found.push([])
      length = text.length
    }
    found.at(-1)?.push(text)
  }
  if (title === '' || found.length === 1) return found.map((part) => ({ title, paragraphs: part }))
  return found.map((part, at) => ({ title: titleOf(`${title} (${at + 1})`), paragraphs: part }))
}

export const said = (value: number): string => value.toLocaleString('en')

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** A text in pieces that a paragraph can hold, parted between sentences where it has some. */
export function parts(text: string): string[] {
  if (text === '') return []
  if (text.length <= MAX_PARAGRAPH) return [text]
  const pieces: string[] = ['']
  for (const { segment } of SENTENCES.segment(text))
    for (const piece of segment.match(/.{1,9999}/gsu) ?? []) {
      const last = pieces.length - 1
      if ((pieces[last]?.length ?? 0) + piece.length <= MAX_PARAGRAPH) pieces[last] += piece
      else pieces.push(piece)
    }
  return pieces.map(tidy).filter((piece) => piece !== '')
}
