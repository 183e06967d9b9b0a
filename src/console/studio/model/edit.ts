import { MAX_CHAPTER_PARAGRAPHS, MAX_CHARACTERS, MAX_PARAGRAPH, MAX_PARAGRAPHS, parts, said } from '../import/blocks.ts'
import {
  type Caret,
  type Chapter,
  chapterOf,
  type Paragraph,
  type Project,
  paragraphOf,
  type Settings,
  type Speaker,
} from './project.ts'

/** The place of a paragraph. */
interface Place {
  /** The index of its chapter. */
  readonly chapter: number
  readonly paragraph: number
}

/** An edit and the paragraph that has the caret afterwards; `caret` counts letters. */
export interface Edited {
  readonly project: Project
  readonly focus: Caret | null
}

export function placeOf({ chapters }: Project, key: string): Place | null {
  for (const [chapter, { paragraphs }] of chapters.entries()) {
    const paragraph = paragraphs.findIndex((one) => one.key === key)
    if (paragraph >= 0) return { chapter, paragraph }
  }
  return null
}

const chapterAt = ({ chapters }: Project, index: number): Chapter => chapters[index] as Chapter
const paragraphAt = (project: Project, { chapter, paragraph }: Place): Paragraph =>
  chapterAt(project, chapter).paragraphs[paragraph] as Paragraph

const withChapter = (project: Project, index: number, changes: Partial<Chapter>): Project => ({
  ...project,
  chapters: project.chapters.with(index, { ...chapterAt(project, index), ...changes }),
})

/** Puts other paragraphs in the place of some. */
const spliced = (project: Project, { chapter, paragraph }: Place, gone: number, added: readonly Paragraph[]): Project =>
  withChapter(project, chapter, {
    paragraphs: chapterAt(project, chapter).paragraphs.toSpliced(paragraph, gone, ...added),
  })

export function changeParagraph(project: Project, key: string, changes: Partial<Omit<Paragraph, 'key'>>): Project {
  const place = placeOf(project, key)
  if (place === null) return project
  return spliced(project, place, 1, [{ ...paragraphAt(project, place), ...changes }])
}

/** Parts a paragraph; the part behind gets the same speaker and settings. At an end the new one is empty. */
export function splitParagraph(project: Project, key: string, at: number): Edited {
  const place = placeOf(project, key)
  if (place === null) return { project, focus: null }
  const whole = paragraphAt(project, place)
  const [before, after] = [whole.text.slice(0, at).trimEnd(), whole.text.slice(at).trimStart()]
  const second = paragraphOf(after, { speaker: whole.speaker, settings: whole.settings })
  // The takes stay with the part that has the words.
  const isMoved = before === '' && after !== ''
  const parts = isMoved
    ? [{ ...second, text: '' }, whole]
    : [before === whole.text ? whole : { ...whole, text: before }, second]
  return { project: spliced(project, place, 1, parts), focus: { key: parts[1]?.key ?? key, caret: 0 } }
}

/** Joins a paragraph to the one before it in its chapter. */
export function joinParagraph(project: Project, key: string): Edited {
  const place = placeOf(project, key)
  if (place === null || place.paragraph === 0) return { project, focus: null }
  const before = { ...place, paragraph: place.paragraph - 1 }
  const [first, second] = [paragraphAt(project, before), paragraphAt(project, place)]
  const kept = first.text.trim() === '' ? second : first
  const text = [first.text.trimEnd(), second.text.trimStart()].filter((one) => one !== '').join(' ')
  const joined = text === kept.text ? kept : { ...kept, text }
  const caret = first.text.trim() === '' ? 0 : first.text.trimEnd().length
  return { project: spliced(project, before, 2, [joined]), focus: { key: joined.key, caret } }
}

/** A selection of a paragraph that something takes the place of. */
interface Selection {
  readonly start: number
  readonly end: number
}

/** Puts blocks in the place of a selection: the first and the last one go on with the text around it. All get the same speaker and settings. */
export function pasteBlocks(project: Project, key: string, { start, end }: Selection, blocks: string[]): Edited {
  const place = placeOf(project, key)
  if (place === null || blocks.length === 0) return { project, focus: null }
  const whole = paragraphAt(project, place)
  const behind = whole.text.slice(end)
  const last = blocks.length - 1
  const texts = blocks
    .with(0, `${whole.text.slice(0, start)}${blocks[0]}`)
    .map((text, index) => (index === last ? `${text}${behind}` : text))
    .flatMap(parts)
  const pasted = texts.map((text, index) =>
    index === 0 ? { ...whole, text } : paragraphOf(text, { speaker: whole.speaker, settings: whole.settings }),
  )
  const focused = pasted.at(-1) ?? whole
  const caret = Math.max(0, focused.text.length - behind.length)
  return { project: spliced(project, place, 1, pasted), focus: { key: focused.key, caret } }
}

/** Says why the service would refuse a project for its size; null: it would not. */
export function excessOf({ chapters }: Project): string | null {
  const paragraphs = chapters.flatMap((chapter) => chapter.paragraphs)
  if (paragraphs.some(({ text }) => text.length > MAX_PARAGRAPH))
    return `A paragraph takes ${said(MAX_PARAGRAPH)} characters.`
  if (chapters.some((chapter) => chapter.paragraphs.length > MAX_CHAPTER_PARAGRAPHS))
    return `A chapter takes ${said(MAX_CHAPTER_PARAGRAPHS)} paragraphs: begin another one before.`
  if (paragraphs.length > MAX_PARAGRAPHS) return `A project takes ${said(MAX_PARAGRAPHS)} paragraphs.`
  return paragraphs.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARACTERS
    ? `A project takes ${said(MAX_CHARACTERS)} characters.`
    : null
}

/** Puts paragraphs behind another one. */
export function addParagraphs(project: Project, key: string, added: readonly Paragraph[]): Edited {
  const place = placeOf(project, key)
  const first = added[0]
  if (place === null || first === undefined) return { project, focus: null }
  const behind = { ...place, paragraph: place.paragraph + 1 }
  return { project: spliced(project, behind, 0, added), focus: { key: first.key, caret: 0 } }
}

/** A chapter keeps one paragraph, which is empty then. */
export function removeParagraph(project: Project, key: string): Edited {
  const place = placeOf(project, key)
  if (place === null) return { project, focus: null }
  const { paragraphs } = chapterAt(project, place.chapter)
  if (paragraphs.length === 1) {
    const empty = paragraphOf('')
    return { project: spliced(project, place, 1, [empty]), focus: { key: empty.key, caret: 0 } }
  }
  const next = paragraphs[place.paragraph + 1] ?? (paragraphs[place.paragraph - 1] as Paragraph)
  return { project: spliced(project, place, 1, []), focus: { key: next.key, caret: 0 } }
}

/** Moves a paragraph by one place, into the next chapter where its own ends. */
export function moveParagraph(project: Project, key: string, step: 1 | -1): Edited {
  const place = placeOf(project, key)
  if (place === null) return { project, focus: null }
  const moved = paragraphAt(project, place)
  const without = spliced(project, place, 1, [])
  const to = targetOf(project, place, step)
  if (to === null) return { project, focus: null }
  const isEmptied = chapterAt(without, place.chapter).paragraphs.length === 0
  const filled = isEmptied ? spliced(without, { ...place, paragraph: 0 }, 0, [paragraphOf('')]) : without
  return { project: spliced(filled, to, 0, [moved]), focus: { key, caret: 0 } }
}

function targetOf(project: Project, { chapter, paragraph }: Place, step: 1 | -1): Place | null {
  const last = chapterAt(project, chapter).paragraphs.length - 1
  const next = paragraph + step
  if (next >= 0 && next <= last) return { chapter, paragraph: next }
  const other = project.chapters[chapter + step]
  if (other === undefined) return null
  return { chapter: chapter + step, paragraph: step > 0 ? 0 : other.paragraphs.length }
}

/** A chapter begins with this paragraph. */
export function beginChapter(project: Project, key: string, title: string): Project {
  const place = placeOf(project, key)
  if (place === null || place.paragraph === 0) return project
  const { paragraphs, settings } = chapterAt(project, place.chapter)
  const added = { ...chapterOf(title, paragraphs.slice(place.paragraph)), settings }
  const cut = withChapter(project, place.chapter, { paragraphs: paragraphs.slice(0, place.paragraph) })
  return { ...cut, chapters: cut.chapters.toSpliced(place.chapter + 1, 0, added) }
}

const indexOf = ({ chapters }: Project, key: string): number => chapters.findIndex((one) => one.key === key)

export const changeChapter = (project: Project, key: string, changes: Partial<Omit<Chapter, 'key'>>): Project =>
  indexOf(project, key) < 0 ? project : withChapter(project, indexOf(project, key), changes)

export const addChapter = (project: Project, title: string): Project => ({
  ...project,
  chapters: [...project.chapters, chapterOf(title, [paragraphOf('')])],
})

/** Joins a chapter to the one before. */
export function joinChapter(project: Project, key: string): Project {
  const index = indexOf(project, key)
  if (index < 1) return project
  const paragraphs = [...chapterAt(project, index - 1).paragraphs, ...chapterAt(project, index).paragraphs]
  const joined = withChapter(project, index - 1, { paragraphs })
  return { ...joined, chapters: joined.chapters.toSpliced(index, 1) }
}

export function moveChapter(project: Project, key: string, step: 1 | -1): Project {
  const index = indexOf(project, key)
  const to = index + step
  if (index < 0 || to < 0 || to >= project.chapters.length) return project
  const moved = chapterAt(project, index)
  return { ...project, chapters: project.chapters.toSpliced(index, 1).toSpliced(to, 0, moved) }
}

/** A project keeps one chapter. */
export const removeChapter = (project: Project, key: string): Project =>
  project.chapters.length < 2 ? project : { ...project, chapters: project.chapters.filter((one) => one.key !== key) }

/** Changes the cast. Paragraphs of a renamed speaker keep it; those of one who is gone are the narrator's. */
export function changeCast(project: Project, cast: readonly (Speaker & { readonly before: string | null })[]): Project {
  const names = new Map(cast.flatMap(({ name, before }) => (before === null ? [] : [[before, name] as const])))
  const speakers = cast.map(({ name, settings }) => ({ name, settings }))
  const chapters = project.chapters.map((chapter) => {
    const isMet = chapter.paragraphs.some(({ speaker }) => speaker !== null && names.get(speaker) !== speaker)
    if (!isMet) return chapter
    const paragraphs = chapter.paragraphs.map((one) => {
      const speaker = one.speaker === null ? null : (names.get(one.speaker) ?? null)
      return speaker === one.speaker ? one : { ...one, speaker }
    })
    return { ...chapter, paragraphs }
  })
  return { ...project, speakers, chapters }
}

export const changeProject = (project: Project, changes: { name?: string; settings?: Settings }): Project => ({
  ...project,
  ...changes,
})
