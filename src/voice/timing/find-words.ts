import type { Language } from '../../engines/espeak/detect-language.ts'
import type { TextRange } from './offset-map.ts'

/** Scripts without spaces are cut by dictionaries, which their languages choose. */
const LOCALES: Partial<Record<Language, string>> = { Chinese: 'zh', Japanese: 'ja', Korean: 'ko' }
/** One for each of the few locales: to make one takes longer than to use it. */
const segmenters = new Map<string, Intl.Segmenter>()

/** The words of a text, in order: what is between them is space, punctuation and pictures. Pure. */
export function findWords(text: string, language: Language | undefined): TextRange[] {
  const locale = (language && LOCALES[language]) ?? 'en'
  const segmenter = segmenters.get(locale) ?? new Intl.Segmenter(locale, { granularity: 'word' })
  segmenters.set(locale, segmenter)
  const words: TextRange[] = []
  for (const { index, segment, isWordLike } of segmenter.segment(text))
    if (isWordLike === true) words.push({ start: index, end: index + segment.length })
  return words
}
