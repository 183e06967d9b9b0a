import { characters } from '../../playground/form-fields.ts'
import { type Paragraph, type Project, settingsOf } from '../model/project.ts'
import type { Editor } from './editor.ts'
import { type Endpoint, endpointOf } from './endpoints.ts'
import { isMissing, stateOf } from './states.ts'

interface Missing {
  readonly keys: readonly string[]
  /** In credits. */
  readonly cost: number
  /** Queued or being spoken. */
  readonly underway: number
}

/** The paragraphs that are to be spoken, and what that costs. */
export function missingOf(editor: Editor, project: Project, endpoints: readonly Endpoint[]): Missing {
  const keys: string[] = []
  let [cost, underway] = [0, 0]
  for (const chapter of project.chapters)
    for (const paragraph of chapter.paragraphs) {
      const state = stateOf(editor.takes.of(paragraph.key).peek(), editor.isChanged(paragraph.key, paragraph.text))
      if (state === 'waiting' || state === 'speaking') underway++
      if (!isMissing(state, paragraph)) continue
      keys.push(paragraph.key)
      cost += costOf(paragraph, endpointOf(endpoints, settingsOf(project, chapter, paragraph)))
    }
  return { keys, cost, underway }
}

/** Of some paragraphs, in credits. */
export function costOfKeys(project: Project, keys: ReadonlySet<string>, endpoints: readonly Endpoint[]): number {
  return project.chapters
    .flatMap((chapter) => chapter.paragraphs.map((paragraph) => ({ chapter, paragraph })))
    .filter(({ paragraph }) => keys.has(paragraph.key))
    .reduce(
      (sum, { chapter, paragraph }) =>
        sum + costOf(paragraph, endpointOf(endpoints, settingsOf(project, chapter, paragraph))),
      0,
    )
}

const costOf = ({ text }: Paragraph, endpoint: Endpoint | undefined): number =>
  characters(text) * (endpoint?.creditsPerCharacter ?? 0)
