import type { ImportedChapter } from '../import/blocks.ts'
import { spokenBy } from '../import/dialogue.ts'
import { type Chapter, chapterOf, type Paragraph, paragraphOf, type Speaker } from './project.ts'

/** The input of an endpoint that says how something is spoken. */
export const STYLE_INPUT = 'style_instruction'

/**
 * Imported chapters as those of a project. @param speakers whose lines are parted; none: "NAME:" is text
 * @param hasStyle the endpoint takes a style: what stands in brackets behind a name is one
 */
export function projectChapters(
  chapters: readonly ImportedChapter[],
  speakers: readonly string[],
  hasStyle: boolean,
): Chapter[] {
  return chapters.map(({ title, paragraphs }) =>
    chapterOf(
      title,
      speakers.length === 0
        ? paragraphs.map((text) => paragraphOf(text))
        : spokenBy(paragraphs, speakers).map((one): Paragraph => {
            const { text, speaker, manner } = one
            const settings = hasStyle && manner !== null ? { inputs: { [STYLE_INPUT]: manner } } : {}
            return paragraphOf(text, { speaker, settings })
          }),
    ),
  )
}

export const castOf = (names: readonly string[]): Speaker[] => names.map((name) => ({ name, settings: {} }))
