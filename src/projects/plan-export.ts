import type { Parts } from '../context/context.ts'
import { findContent } from './change-project.ts'
import { type Chapter, type Content, type Paragraph, settingsOf } from './content.ts'
import { chosenOf, fingerprintOf, loadTakes, type Take } from './takes.ts'

const PAUSE_MS = 400
const CHAPTER_PAUSE_MS = 1200

/** A paragraph with audio; times in milliseconds from the beginning of the whole recording. */
export interface PlannedTake {
  readonly key: string
  readonly text: string
  readonly jobId: string
  /** True if the take says this text. */
  readonly isCurrent: boolean
  readonly audio: NonNullable<Take['audio']>
  readonly fromMs: number
  readonly durationMs: number
  /** Silence after it, unless it is the last one of a file. */
  readonly pauseMs: number
}

interface PlannedChapter {
  readonly key: string
  readonly title: string
  /** At least one. */
  readonly takes: readonly PlannedTake[]
}

/** A paragraph without audio. */
interface MissingParagraph {
  readonly chapter: string
  readonly key: string
  readonly text: string
}

export interface ExportPlan {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** Those with audio. */
  readonly chapters: readonly PlannedChapter[]
  readonly durationMs: number
  readonly missing: readonly MissingParagraph[]
}

/**
 * Plans one recording of the chosen takes of a project, as it is now.
 * @param accountId null: of any account, as a signed URL says
 * @throws NOT_FOUND
 */
export async function planExport(parts: Pick<Parts, 'db'>, id: string, accountId: string | null): Promise<ExportPlan> {
  const content = await findContent(parts, id, accountId)
  const keys = content.chapters.flatMap(({ paragraphs }) => paragraphs.map(({ key }) => key))
  const takes = await loadTakes(parts.db.pool, id, keys)
  const missing: MissingParagraph[] = []
  const chapters: PlannedChapter[] = []
  let [fromMs, durationMs] = [0, 0]
  for (const chapter of content.chapters) {
    const heard = chapter.paragraphs.flatMap((paragraph) => heardOf(content, chapter, paragraph, takes))
    const silent = chapter.paragraphs.filter(({ key }) => heard.every((one) => one.key !== key))
    missing.push(...silent.map(({ key, text }) => ({ chapter: chapter.title, key, text })))
    const placed = heard.map(({ pauseMs, ...take }, at): PlannedTake => {
      const one = { ...take, fromMs, pauseMs: pauseMs ?? (at === heard.length - 1 ? CHAPTER_PAUSE_MS : PAUSE_MS) }
      durationMs = fromMs + one.durationMs
      fromMs = durationMs + one.pauseMs
      return one
    })
    if (placed.length > 0) chapters.push({ key: chapter.key, title: chapter.title, takes: placed })
  }
  return { id, accountId: content.accountId, name: content.name, chapters, durationMs, missing }
}

function heardOf(content: Content, chapter: Chapter, paragraph: Paragraph, takes: ReadonlyMap<string, Take[]>) {
  const chosen = chosenOf(takes.get(paragraph.key))
  const durationMs = chosen?.audio?.durationMs ?? null
  if (chosen === null || chosen.audio === null || durationMs === null) return []
  const isCurrent = chosen.fingerprint === fingerprintOf(content, chapter, paragraph)
  const { pauseMs } = settingsOf(content, chapter, paragraph)
  const { key, text } = paragraph
  return [{ key, text, jobId: chosen.jobId, isCurrent, audio: chosen.audio, durationMs, pauseMs }]
}
