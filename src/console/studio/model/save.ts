import {
  allParagraphs,
  type Chapter,
  isWritten,
  type Paragraph,
  type Project,
  type Settings,
  type Speaker,
} from './project.ts'

/** A chapter without its paragraphs keeps those that the service has. */
interface SavedChapter {
  readonly key: string
  readonly title: string
  readonly settings: Settings
  readonly paragraphs?: readonly Paragraph[]
}

/** The fields that a save sends; absent ones stay as they are. */
export interface Changes {
  readonly name?: string
  readonly settings?: Settings
  readonly speakers?: readonly Speaker[]
  readonly chapters?: readonly SavedChapter[]
}

/** The changes since a project was saved; null: there are none. Paragraphs without a letter are not sent. */
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
  return { ...chapter, paragraphs: paragraphs.filter(isWritten) }
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

/** The changes of a project that is gone: the chapters whose text they have; null: none of them has any. */
export function rescued({ name, settings = {}, speakers = [], chapters = [] }: Changes): Project | null {
  const whole = chapters.flatMap(({ paragraphs = [], ...chapter }) =>
    paragraphs.length === 0 ? [] : [{ ...chapter, paragraphs }],
  )
  if (whole.length === 0) return null
  const said = new Set(allParagraphs({ chapters: whole }).flatMap(({ speaker }) => speaker ?? []))
  const lost = [...said].filter((speaker) => speakers.every((one) => one.name !== speaker))
  const cast = [...speakers, ...lost.map((speaker) => ({ name: speaker, settings: {} }))]
  return { name: name ?? 'Deleted project', settings, speakers: cast, chapters: whole }
}

/** So much is sent at once: the service takes 1 MiB and 19,000 values, the chapters without their text among them. */
const MAX_SENT_BYTES = 900_000
const MAX_SENT_VALUES = 15_000

/**
 * The project as the next save makes it: `now`, or a part of the way to it where all of that is too much at once. On the way no paragraph is
 * there twice, and each has its speaker.
 */
export function nextStep(saved: Project, now: Project): Project {
  const parts = partsOf(saved, now)
  const [first] = parts
  if (first === undefined || parts.length === 1) return now
  const sent = new Map(first.map((chapter) => [chapter.key, chapter]))
  const waiting = new Set(parts.flat().map(({ key }) => key))
  const known = new Map(saved.chapters.map((chapter) => [chapter.key, chapter]))
  const chapters = now.chapters.flatMap((chapter) => {
    const { key } = chapter
    return sent.get(key) ?? (waiting.has(key) ? (known.get(key) ?? []) : chapter)
  })
  return { ...now, speakers: bothOf(now.speakers, saved.speakers), chapters }
}

function bothOf(now: readonly Speaker[], saved: readonly Speaker[]): readonly Speaker[] {
  const names = new Set(now.map(({ name }) => name))
  const gone = saved.filter(({ name }) => !names.has(name))
  return gone.length === 0 ? now : [...now, ...gone]
}

/** The chapters with other paragraphs, as many together as are sent at once. A chapter that gains paragraphs of another one comes after that. */
function partsOf(saved: Project, now: Project): Chapter[][] {
  const before = new Map(saved.chapters.map((chapter) => [chapter.key, chapter.paragraphs]))
  const homes = new Map(saved.chapters.flatMap((one) => one.paragraphs.map(({ key }) => [key, one.key] as const)))
  const other = now.chapters.filter(({ key, paragraphs }) => before.get(key) !== paragraphs)
  const [gaining, steady] = [[] as Chapter[], [] as Chapter[]]
  for (const chapter of other) {
    const own = chapter.paragraphs.filter(({ key }) => (homes.get(key) ?? chapter.key) === chapter.key)
    if (own.length === chapter.paragraphs.length) steady.push(chapter)
    else {
      gaining.push(chapter)
      const kept = new Set(own.map(({ key }) => key))
      const isLosing = before.get(chapter.key)?.some(({ key }) => !kept.has(key)) ?? false
      if (isLosing) steady.push({ ...chapter, paragraphs: own })
    }
  }
  return grouped([...steady, ...gaining])
}

function grouped(chapters: readonly Chapter[]): Chapter[][] {
  const groups: Chapter[][] = []
  let [bytes, values] = [Number.POSITIVE_INFINITY, 0]
  for (const chapter of chapters) {
    const own = new TextEncoder().encode(JSON.stringify(chapter)).length
    const count = valuesIn(chapter)
    bytes += own
    values += count
    if (bytes > MAX_SENT_BYTES || values > MAX_SENT_VALUES) {
      groups.push([])
      bytes = own
      values = count
    }
    groups.at(-1)?.push(chapter)
  }
  return groups
}

/** As the service counts them. */
const valuesIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 1)
