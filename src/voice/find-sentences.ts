import segment from 'sentencex'
import type { Language } from '../engines/espeak/detect-language.ts'

/** The languages whose abbreviations sentencex knows. */
const SENTENCEX_CODES: Partial<Record<Language, string>> = {
  English: 'en',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Japanese: 'ja',
  Portuguese: 'pt',
  Russian: 'ru',
  Spanish: 'es',
}
/** For the others punctuation alone decides, in any script. */
const LOCALES: Partial<Record<Language, string>> = { Chinese: 'zh', Korean: 'ko' }
/** sentencex takes quadratic time over what might be sentences: no paragraph of words is as long, or has as many in as few characters. */
const SENTENCEX_MAX_CHARACTERS = 10_000
const MANY_STOPS = 200
const LEAST_CHARACTERS = 8
const STOP = /[\p{Sentence_Terminal}:;…․‥]/gu
const PARAGRAPH_BREAK = /\n\s*\n/g
/** Titles and the like that stand before what they belong to. */
const ABBREVIATION =
  /(?:^|[\s("'“«])(?:dr|mr|mrs|ms|prof|st|no|nr|vs|jr|sr|gen|col|capt|rev|hon|m|mme|mlle|sra|dra|sig|dott|hr|fr|bzw|ca|z\. ?b|d\. ?h|e\.g|i\.e)\.\s*$/iu
/** "J. S. Bach": not what ends with a small letter. */
const INITIAL = /(?:^|\s)\p{Lu}\.\s*$/u

/** Where a text may be cut, and what stands there: offsets of the characters after the break. */
interface Break {
  readonly at: number
  readonly kind: 'paragraph' | 'sentence'
}

/** The ends of a text's sentences, in order, the end of the text left out. */
export function findSentences(text: string, language: Language | undefined): Break[] {
  const breaks: Break[] = []
  let start = 0
  for (const gap of [...text.matchAll(PARAGRAPH_BREAK), undefined]) {
    const end = gap === undefined ? text.length : gap.index
    for (const at of sentenceEnds(text.slice(start, end), language)) {
      if (mayBreak(text, start + at)) breaks.push({ at: start + at, kind: 'sentence' })
    }
    if (gap === undefined) break
    start = end + gap[0].length
    breaks.push({ at: start, kind: 'paragraph' })
  }
  return breaks.filter(({ at }) => at > 0 && at < text.length)
}

/** Never inside a number, nor after an abbreviation that belongs to the next word. */
export function mayBreak(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 16), at)
  const isInNumber = /\d[.,'’:/]?\s?$/u.test(before) && /^\s?\d/u.test(text.slice(at, at + 2))
  return !isInNumber && !ABBREVIATION.test(before) && !INITIAL.test(before)
}

function sentenceEnds(paragraph: string, language: Language | undefined): number[] {
  const code = language && SENTENCEX_CODES[language]
  const found =
    code !== undefined && paragraph.length <= SENTENCEX_MAX_CHARACTERS && !isAllStops(paragraph)
      ? locate(segment(code, paragraph), paragraph)
      : null
  if (found !== null) return found
  const segmenter = new Intl.Segmenter((language && LOCALES[language]) ?? 'en', { granularity: 'sentence' })
  return [...segmenter.segment(paragraph)].map(({ index, segment: sentence }) => index + sentence.length).slice(0, -1)
}

const isAllStops = (paragraph: string): boolean => {
  const stops = paragraph.match(STOP)?.length ?? 0
  return stops > MANY_STOPS && stops * LEAST_CHARACTERS > paragraph.length
}

/** Sentences come without the white space between them. null where one is not in the paragraph. */
function locate(sentences: readonly string[], paragraph: string): number[] | null {
  const ends: number[] = []
  let cursor = 0
  for (const sentence of sentences.map((one) => one.trim()).filter((one) => one !== '')) {
    const at = paragraph.indexOf(sentence, cursor)
    if (at < 0) return null
    cursor = at + sentence.length
    ends.push(cursor)
  }
  return ends.slice(0, -1)
}
