import type { SpeechRequest } from '../../engines/engine.ts'
import { LANGUAGES, type Language } from '../../engines/espeak/detect-language.ts'
import { type Chunk, splitForListener, splitText } from '../split.ts'

/** What of a request is otherwise for a stretch of its text. */
export type Change = Partial<Pick<SpeechRequest, 'voice' | 'language' | 'speed'>>

/** A stretch of a text that is spoken in one manner, and the silence behind it. Offsets are UTF-16 units of what is spoken. */
export interface Passage extends Pick<Chunk, 'pause'> {
  readonly start: number
  readonly end: number
  readonly silenceMs: number
  readonly change: Change
}

/** A chunk of a passage; one without text is silence. */
export interface PassageChunk extends Chunk {
  readonly silenceMs?: number
  readonly change?: Change
}

/** So long a silence has a sentence behind it, as a strong break of SSML. */
const SENTENCE_SILENCE_MS = 1000

/** Where sentences end by the markup, whatever stands there. Pure. */
export const sentenceEnds = (passages: readonly Passage[]): number[] =>
  passages
    .filter(({ pause, silenceMs }) => pause === 'sentence' || pause === 'paragraph' || silenceMs >= SENTENCE_SILENCE_MS)
    .map(({ end }) => end)

/**
 * The chunks of each passage, one behind the other, and a silent one wherever a passage ends with silence. Pure.
 * @param language of what has none of its own
 * @param isHeard whether a listener waits for the first one
 */
export function splitPassages(
  text: string,
  passages: readonly Passage[],
  language: Language | undefined,
  isHeard: boolean,
): PassageChunk[] {
  const chunks: PassageChunk[] = []
  for (const passage of passages) {
    const { start, end, pause, silenceMs, change } = passage
    const own = text.slice(start, end)
    const split = isHeard && chunks.length === 0 ? splitForListener : splitText
    const pieces = own.trim() === '' ? [] : split(own, LANGUAGES.find((known) => known === change.language) ?? language)
    for (const [index, piece] of pieces.entries()) {
      const isLast = index === pieces.length - 1
      chunks.push({ ...trimmed(piece, start), change, pause: isLast && silenceMs === 0 ? pause : piece.pause })
    }
    if (silenceMs > 0) chunks.push({ text: '', start: end, pause: 'none', silenceMs })
  }
  return chunks
}

const trimmed = ({ text, start, pause }: Chunk, by: number): Chunk => ({
  text: text.trim(),
  start: by + start + text.length - text.trimStart().length,
  pause,
})
