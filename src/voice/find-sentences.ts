import segment from 'sentencex'
import type { Language } from '../engines/espeak/detect-language.ts'

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
const LOCALES: Partial<Record<Language, string>> = { Chinese: 'zh', Korean: 'ko' }
/** sentencex takes quadratic time, so long paragraphs use Intl.Segmenter. */
const SENTENCEX_MAX_CHARACTERS = 10_000
const MANY_STOPS = 200
const LEAST_CHARACTERS = 8
const STOP = /[\p{Sentence_Terminal}:;…․‥]/gu
const PARAGRAPH_BREAK = /\n\s*\n/g
const ABBREVIATION =
  /(?:^|[\s("'“«])(?:dr|mr|mrs|ms|prof|st|no|nr|vs|jr|sr|gen|col|capt|rev|hon|m|mme|mlle|sra|dra|sig|dott|hr|fr|bzw|ca|z\. ?b|d\. ?h|e\.g|i\.e)\.\s*$/iu
const INITIAL = /(?:^|\s)\p{Lu}\.\s*$/u

interface Break {
  readonly at: number
  readonly kind: 'paragraph' | 'sentence'
}

/** Finds the ends of sentences in order, without the end of the text. */
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
