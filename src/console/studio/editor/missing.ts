import { characters } from '../../playground/form-fields.ts'
import type { Chapter, Paragraph, Project } from '../model/project.ts'
import type { Editor } from './editor.ts'
import type { Endpoint } from './endpoints.ts'
import { isMissing, stateOf } from './states.ts'

interface Missing {
  readonly keys: readonly string[]
  /** In credits. */
  readonly cost: number
  /** Queued or being spoken. */
  readonly underway: number
}

/** The paragraphs that are to be spoken, and what that costs. It runs with each letter, over thousands of paragraphs. */
export function missingOf(editor: Editor, project: Project, endpoints: readonly Endpoint[]): Missing {
  const priceOf = pricesOf(project, endpoints)
  const keys: string[] = []
  let [cost, underway] = [0, 0]
  for (const chapter of project.chapters)
    for (const paragraph of chapter.paragraphs) {
      const { key, text } = paragraph
      const state = stateOf(editor.takes.of(key).peek(), editor.isChanged(key, text))
      if (state === 'waiting' || state === 'speaking') underway++
      if (!isMissing(state, paragraph)) continue
      keys.push(key)
      cost += lengthOf(paragraph) * priceOf(chapter, paragraph)
    }
  return { keys, cost, underway }
}

/** The price of some paragraphs, in credits. */
export function costOfKeys(project: Project, keys: ReadonlySet<string>, endpoints: readonly Endpoint[]): number {
  const priceOf = pricesOf(project, endpoints)
  const costs = project.chapters.flatMap((chapter) =>
    chapter.paragraphs.map((one) => (keys.has(one.key) ? lengthOf(one) * priceOf(chapter, one) : 0)),
  )
  return costs.reduce((sum, cost) => sum + cost, 0)
}

/** The price of a character of a paragraph. */
function pricesOf({ settings, speakers }: Project, endpoints: readonly Endpoint[]) {
  const cast = new Map(speakers.map((speaker) => [speaker.name, speaker.settings.endpoint]))
  const prices = new Map(endpoints.map(({ slug, creditsPerCharacter }) => [slug, creditsPerCharacter]))
  const usual = endpoints[0]?.creditsPerCharacter ?? 0
  return (chapter: Chapter, { settings: own, speaker }: Paragraph): number => {
    const slug = own.endpoint ?? cast.get(speaker ?? '') ?? chapter.settings.endpoint ?? settings.endpoint ?? ''
    return prices.get(slug) ?? usual
  }
}

const lengths = new WeakMap<Paragraph, number>()

function lengthOf(paragraph: Paragraph): number {
  const length = lengths.get(paragraph) ?? characters(paragraph.text)
  lengths.set(paragraph, length)
  return length
}
