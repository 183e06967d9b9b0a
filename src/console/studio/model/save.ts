import type { Chapter, Paragraph, Project, Settings, Speaker } from './project.ts'

/** A chapter without its paragraphs keeps those that the service has. */
interface SavedChapter {
  readonly key: string
  readonly title: string
  readonly settings: Settings
  readonly paragraphs?: readonly Paragraph[]
}

/** What a save sends: fields that are absent stay as they are. */
export interface Changes {
  readonly name?: string
  readonly settings?: Settings
  readonly speakers?: readonly Speaker[]
  readonly chapters?: readonly SavedChapter[]
}

/** What has changed since a project was saved; null: nothing. Paragraphs without a letter are not sent. */
export function changesOf(saved: Project, now: Project): Changes | null {
  const before = new Map(saved.chapters.map((chapter) => [chapter.key, chapter]))
  const changes: Changes = {
    ...(now.name !== saved.name && { name: now.name }),
    ...(now.settings !== saved.settings && { settings: now.settings }),
    ...(now.speakers !== saved.speakers && { speakers: now.speakers }),
    ...(areOther(saved.chapters, now.chapters) && {
      chapters: now.chapters.map((chapter) => sentChapter(chapter, before.get(chapter.key))),
    }),
  }
  return Object.keys(changes).length === 0 ? null : changes
}

const areOther = (saved: readonly Chapter[], now: readonly Chapter[]): boolean =>
  saved.length !== now.length || saved.some((chapter, at) => chapter !== now[at])

function sentChapter({ paragraphs, ...chapter }: Chapter, before: Chapter | undefined): SavedChapter {
  if (before?.paragraphs === paragraphs) return chapter
  return { ...chapter, paragraphs: paragraphs.filter(({ text }) => text.trim() !== '') }
}

/** A project with changes that were not saved, as they were kept in the browser. */
export function withChanges(saved: Project, changes: Changes): Project {
  const { chapters, ...rest } = changes
  if (chapters === undefined) return { ...saved, ...rest }
  const before = new Map(saved.chapters.map((chapter) => [chapter.key, chapter]))
  const whole = chapters.flatMap((chapter) => {
    const paragraphs = chapter.paragraphs ?? before.get(chapter.key)?.paragraphs
    return paragraphs === undefined ? [] : [{ ...chapter, paragraphs }]
  })
  return { ...saved, ...rest, chapters: whole }
}

/** So much text is sent at once: the service takes 1 MiB, of which a character may take three bytes. */
const MAX_SENT_CHARACTERS = 250_000
const MAX_SENT_PARAGRAPHS = 3000

/** A large change in several saves, one after the other; a chapter that the service does not have yet is there from the save that brings it. */
export function stepsOf(saved: Project, changes: Changes): readonly Changes[] {
  const { chapters, ...rest } = changes
  if (chapters === undefined) return [changes]
  const groups: SavedChapter[][] = [[]]
  let [characters, count] = [0, 0]
  for (const chapter of chapters) {
    const paragraphs = chapter.paragraphs ?? []
    const length = paragraphs.reduce((sum, { text }) => sum + text.length, 0)
    characters += length
    count += paragraphs.length
    if ((characters > MAX_SENT_CHARACTERS || count > MAX_SENT_PARAGRAPHS) && groups.at(-1)?.length !== 0) {
      groups.push([])
      characters = length
      count = paragraphs.length
    }
    groups.at(-1)?.push(chapter)
  }
  const known = new Set(saved.chapters.map(({ key }) => key))
  return groups.map((group, index) => {
    const sent = new Map(group.map((chapter) => [chapter.key, chapter]))
    for (const { key } of group) known.add(key)
    const list = chapters
      .filter(({ key }) => known.has(key))
      .map((chapter) => sent.get(chapter.key) ?? withoutText(chapter))
    return { ...(index === 0 && rest), chapters: list }
  })
}

const withoutText = ({ paragraphs: _, ...chapter }: SavedChapter): SavedChapter => chapter
