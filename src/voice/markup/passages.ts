import type { SpeechRequest } from '../../engines/engine.ts'
import { LANGUAGES, type Language } from '../../engines/espeak/detect-language.ts'
import { type Chunk, splitForListener, splitText } from '../split.ts'

export type Change = Partial<Pick<SpeechRequest, 'voice' | 'language' | 'speed'>>

/** A stretch with one manner and the silence after it; offsets in UTF-16 units of the spoken text. */
export interface Passage extends Pick<Chunk, 'pause'> {
  readonly start: number
  readonly end: number
  readonly silenceMs: number
  readonly change: Change
}

export interface PassageChunk extends Chunk {
  readonly silenceMs?: number
  readonly change?: Change
}

const SENTENCE_SILENCE_MS = 1000

export const sentenceEnds = (passages: readonly Passage[]): number[] =>
  passages
    .filter(({ pause, silenceMs }) => pause === 'sentence' || pause === 'paragraph' || silenceMs >= SENTENCE_SILENCE_MS)
    .map(({ end }) => end)

/**
 * Splits each passage into chunks and adds a silent chunk after a passage that ends with silence. Pure.
 * @param isHeard whether a listener waits, so the first chunk is short
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
