import { ApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import {
  openProject,
  type ProjectHeadFragment,
  type ProjectTakesQuery,
  projectTakes,
  projectTexts,
  type SpokenFragment,
} from '../../operations.ts'
import { type Chapter, chapterOf, type Project, paragraphOf, type Settings } from '../model/project.ts'
import type { Take } from './states.ts'

/** An answer holds no more paragraphs, and its price grows with the chapters that it is asked for. */
const MAX_PARAGRAPHS = 2000
const MAX_CHAPTERS = 10
const MAX_TRIES = 3
const CHANGING = 'Somebody is saving this project all the time: try again in a moment.'

export interface Opened {
  readonly id: string
  readonly revision: number
  readonly project: Project
}

/** A project with all of its text, as it was at one moment. @throws ApiError */
export async function loadProject(id: string): Promise<Opened> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { project } = await ask(openProject, { id })
    if (project === null || project === undefined)
      throw new ApiError('This project is not there.', { code: 'NOT_FOUND' })
    const opened = await withTexts(project)
    if (opened !== null) return opened
  }
  throw new ApiError(CHANGING, { code: 'UNAVAILABLE' })
}

/** Null: it was saved meanwhile. */
async function withTexts(head: ProjectHeadFragment): Promise<Opened | null> {
  const texts = new Map<string, Chapter['paragraphs']>()
  for (const keys of groupsOf(head.chapters)) {
    const { project } = await ask(projectTexts, { id: head.id, keys })
    if (project?.revision !== head.revision) return null
    for (const { key, paragraphs } of project.chapters)
      texts.set(
        key,
        (paragraphs ?? []).map((one) => ({ ...one, settings: settingsIn(one.settings) })),
      )
  }
  const chapters = head.chapters.map(({ key, title, settings }) => {
    const paragraphs = texts.get(key) ?? []
    return {
      key,
      title,
      settings: settingsIn(settings),
      paragraphs: paragraphs.length > 0 ? paragraphs : [paragraphOf('')],
    }
  })
  return {
    id: head.id,
    revision: head.revision,
    project: {
      name: head.name,
      settings: settingsIn(head.settings),
      speakers: head.speakers.map(({ name, settings }) => ({ name, settings: settingsIn(settings) })),
      chapters: chapters.length > 0 ? chapters : [chapterOf('Chapter 1', [paragraphOf('')])],
    },
  }
}

/** Chapters that one answer holds together. */
function groupsOf(chapters: readonly { readonly key: string; readonly paragraphCount: number }[]): string[][] {
  const groups: string[][] = []
  let count = Number.POSITIVE_INFINITY
  for (const { key, paragraphCount } of chapters) {
    count += paragraphCount
    if (count > MAX_PARAGRAPHS || groups.at(-1)?.length === MAX_CHAPTERS) {
      groups.push([])
      count = paragraphCount
    }
    groups.at(-1)?.push(key)
  }
  return groups
}

/** Without what is inherited. */
function settingsIn({ endpoint, voice, inputs, pauseMs }: SpokenFragment): Settings {
  const own = inputs as Settings['inputs']
  return {
    ...(endpoint != null && { endpoint }),
    ...(voice != null && { voice }),
    ...(own != null && Object.keys(own).length > 0 && { inputs: own }),
    ...(pauseMs != null && { pauseMs }),
  }
}

/** The takes of all paragraphs of some chapters, by paragraph. @throws ApiError */
export async function loadTakes(
  id: string,
  chapters: readonly { readonly key: string; readonly paragraphCount: number }[],
): Promise<ReadonlyMap<string, readonly Take[]>> {
  const takes = new Map<string, readonly Take[]>()
  for (const keys of groupsOf(chapters)) {
    const { project } = await ask(projectTakes, { id, keys })
    for (const chapter of project?.chapters ?? [])
      for (const paragraph of chapter.paragraphs ?? []) takes.set(paragraph.key, paragraph.takes.map(takeOf))
  }
  return takes
}

type Chapters = NonNullable<ProjectTakesQuery['project']>['chapters']
type TakeData = NonNullable<Chapters[number]['paragraphs']>[number]['takes'][number]

const takeOf = ({ jobId, isChosen, isCurrent, job }: TakeData): Take => ({
  ...{ jobId, isChosen, isCurrent },
  status: job?.status ?? null,
  error: job?.error ?? null,
  errorCode: job?.errorCode ?? null,
  audioMs: job?.audioMs ?? null,
  voiceName: job?.voiceName ?? null,
  createdAt: String(job?.createdAt ?? ''),
})
