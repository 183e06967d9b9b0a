import { codePoints } from '../catalog/voice-endpoint.ts'

/** A type and not an interface, so that it is a JSON value of Prisma's. Absent: inherited. */
export type Settings = {
  /** Slug. */
  readonly endpoint?: string | undefined
  readonly voice?: string | undefined
  /** Other inputs of the endpoint by their names. */
  readonly inputs?: { readonly [name: string]: unknown } | undefined
  /** Silence after a paragraph. */
  readonly pauseMs?: number | undefined
}

export type Speaker = { readonly name: string; readonly settings?: Settings | undefined }

export type Paragraph = {
  /** Made by the author's program; unique in the project. */
  readonly key: string
  readonly text: string
  /** Name of a speaker; absent: the narrator. */
  readonly speaker?: string | undefined
  readonly settings?: Settings | undefined
}

export type Chapter = {
  readonly key: string
  readonly title: string
  readonly settings?: Settings | undefined
  readonly paragraphs: readonly Paragraph[]
}

export interface Cast {
  readonly settings: Settings
  readonly speakers: readonly Speaker[]
}

export interface Content extends Cast {
  readonly name: string
  readonly chapters: readonly Chapter[]
}

/** A paragraph's own settings, else its speaker's, else its chapter's, else the project's, each by itself. */
export function settingsOf({ settings, speakers }: Cast, chapter: Chapter, paragraph: Paragraph): Settings {
  const speaker = speakers.find(({ name }) => name === paragraph.speaker)
  return [chapter.settings, speaker?.settings, paragraph.settings].reduce<Settings>(nearer, settings)
}

/** Voices and inputs are those of an endpoint, so a level that names another one inherits no more than the pause. */
function nearer(above: Settings, own: Settings = {}): Settings {
  const isOther = own.endpoint !== undefined && own.endpoint !== (above.endpoint ?? own.endpoint)
  const kept: Settings = isOther ? { pauseMs: above.pauseMs } : above
  const inputs = { ...kept.inputs, ...own.inputs }
  return { ...kept, ...own, ...(Object.keys(inputs).length > 0 && { inputs }) }
}

export const charactersOf = (chapters: readonly Chapter[]): number =>
  chapters.reduce((sum, { paragraphs }) => sum + paragraphs.reduce((all, { text }) => all + codePoints(text), 0), 0)

export const paragraphsOf = (chapters: readonly Chapter[]): number =>
  chapters.reduce((sum, { paragraphs }) => sum + paragraphs.length, 0)
