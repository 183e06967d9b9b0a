import type { Language } from '../../engines/espeak/detect-language.ts'
import { weighText } from '../estimate-speech.ts'
import type { OffsetMap, SpokenSpan, TextRange } from './offset-map.ts'
import type { JobTiming, TimedRange } from './speech-timing.ts'
import { findWords } from './time-speech.ts'

/** Ranges of SSML may hold tags and references, which are no words. */
const MARKUP = /[<&]/

/**
 * Brings a timing to the words as they are written. Words of one number, such as "May 5", share its time by their
 * expected length. A sentence takes the silent characters behind it, such as emoji, or in front of it. Pure.
 * @param part the part of the submitted text that the timing is of
 */
export function inWrittenWords(
  timing: JobTiming,
  map: OffsetMap,
  language: Language | undefined,
  part: TextRange = { start: 0, end: map.submitted.length },
): JobTiming {
  const read = map.read().filter(({ start, end }) => start < part.end && end > part.start)
  if (read.length === 0) return timing
  const silent = read.filter(({ spoken }) => spoken === '')
  return {
    ...timing,
    words: timing.words.flatMap(wordsWithin(read, map.submitted, language)),
    sentences: withSilent(timing.sentences, silent, map.submitted.slice(0, part.end)),
  }
}

function wordsWithin(read: readonly SpokenSpan[], submitted: string, language: Language | undefined) {
  let next = 0
  return (range: TimedRange): TimedRange[] => {
    while (next < read.length && read[next]!.end <= range.start) next++
    const text = submitted.slice(range.start, range.end)
    const isRead = next < read.length && read[next]!.start < range.end
    if (!isRead) return [range]
    const start = range.start + text.length - text.trimStart().length
    const word = { ...range, start, end: start + text.trim().length }
    return MARKUP.test(text) ? [word] : apart(word, text.trim(), language)
  }
}

function apart(range: TimedRange, text: string, language: Language | undefined): TimedRange[] {
  const words = findWords(text, language)
  if (words.length < 2) return [range]
  const weigh = weighText(text, language)
  const unit = (range.to - range.from) / (words.reduce((sum, word) => sum + weigh(word), 0) || 1)
  let at = range.from
  return words.map((word, index) => {
    const isLast = index === words.length - 1
    const [from, to] = [Math.round(at), isLast ? range.to : Math.round(at + unit * weigh(word))]
    at += unit * weigh(word)
    const start = index === 0 ? range.start : range.start + word.start
    const end = isLast ? range.end : range.start + word.end
    return { start, end, from, to, source: 'estimated' as const }
  })
}

function withSilent(
  sentences: readonly TimedRange[],
  silent: readonly SpokenSpan[],
  submitted: string,
): readonly TimedRange[] {
  let at = 0
  return sentences.map((sentence, index) => {
    const next = sentences[index + 1]?.start ?? submitted.length
    let [start, end] = [sentence.start, sentence.end]
    const isOwn = (): boolean =>
      silent[at]!.start < next &&
      (index === sentences.length - 1 || !submitted.slice(end, silent[at]!.start).includes('\n'))
    if (at < silent.length && silent[at]!.start < start) start = silent[at]!.start
    while (at < silent.length && silent[at]!.start < end) at++
    for (; at < silent.length && isOwn(); at++) end = silent[at]!.end
    return { ...sentence, start, end }
  })
}
