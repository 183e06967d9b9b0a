/** How something is spoken; a field that is absent or null is inherited. */
export interface Settings {
  readonly endpoint?: string | null
  readonly voice?: string | null
  /** Other inputs of the endpoint, as style, speed or language. */
  readonly inputs?: Readonly<Record<string, unknown>> | null
  /** The silence behind it. */
  readonly pauseMs?: number | null
}

export interface Speaker {
  readonly name: string
  readonly settings: Settings
}

export interface Paragraph {
  readonly key: string
  readonly text: string
  /** A name of the cast; null: the narrator. */
  readonly speaker: string | null
  readonly settings: Settings
}

export interface Chapter {
  readonly key: string
  readonly title: string
  readonly settings: Settings
  readonly paragraphs: readonly Paragraph[]
}

/** The place of the caret, in letters of a paragraph. */
export interface Caret {
  readonly key: string
  readonly caret: number
}

/** A project as it is edited. Nothing in it is ever changed in place, so that what is the same object is the same. */
export interface Project {
  readonly name: string
  readonly settings: Settings
  readonly speakers: readonly Speaker[]
  readonly chapters: readonly Chapter[]
}

export const NARRATOR = 'Narrator'

/** Unique in a project. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => (byte % 36).toString(36)).join('')

export const paragraphOf = (text: string, changes: Partial<Paragraph> = {}): Paragraph => ({
  ...{ key: newKey(), text, speaker: null, settings: {} },
  ...changes,
})

export const chapterOf = (title: string, paragraphs: readonly Paragraph[]): Chapter => ({
  ...{ key: newKey(), title, settings: {}, paragraphs },
})

export const allParagraphs = ({ chapters }: Pick<Project, 'chapters'>): readonly Paragraph[] =>
  chapters.flatMap(({ paragraphs }) => paragraphs)

/** The settings of a paragraph: each field is its own, else its speaker's, else its chapter's, else the project's; inputs one by one. */
export function settingsOf(project: Project, chapter: Chapter, { speaker, settings }: Paragraph): Settings {
  const cast = project.speakers.find(({ name }) => name === speaker)?.settings
  return inherited([settings, cast ?? {}, chapter.settings, project.settings])
}

const NOTHING: Settings = { endpoint: null, voice: null, inputs: {}, pauseMs: null }

/** @param levels the nearest first */
export const inherited = (levels: readonly Settings[]): Settings => levels.toReversed().reduce(nearer, NOTHING)

/** Voices and inputs are those of an endpoint: settings that name another one inherit the pause alone. */
function nearer(above: Settings, { endpoint, voice, inputs, pauseMs }: Settings): Settings {
  const isOther = endpoint != null && endpoint !== (above.endpoint ?? endpoint)
  return {
    endpoint: endpoint ?? above.endpoint ?? null,
    voice: voice ?? (isOther ? null : (above.voice ?? null)),
    inputs: { ...(isOther ? {} : above.inputs), ...inputs },
    pauseMs: pauseMs ?? above.pauseMs ?? null,
  }
}

/** Says if two settings speak alike; the order of inputs does not matter. */
export const areAlike = (one: Settings, other: Settings): boolean => spoken(one) === spoken(other)

/** Says if two projects have the same content as the service keeps it: without empty paragraphs, in any order of inputs. */
export const areSame = (one: Project, other: Project): boolean => contentOf(one) === contentOf(other)

function contentOf(project: Project): string {
  const chapters = project.chapters.map((chapter) => ({ ...chapter, paragraphs: chapter.paragraphs.filter(isWritten) }))
  return JSON.stringify({ ...project, name: project.name.normalize('NFC'), chapters }, (_, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value) ? value : sorted(value),
  )
}

/** Without what says nothing. */
const sorted = (value: object): object =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => !saysNothing(one))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

const saysNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(saysNothing))

export const isWritten = ({ text }: Paragraph): boolean => text.trim() !== ''

function spoken({ endpoint, voice, inputs }: Settings): string {
  const sorted = Object.entries(inputs ?? {})
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([endpoint ?? null, voice ?? null, sorted])
}
