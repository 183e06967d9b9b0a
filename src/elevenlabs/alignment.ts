import { codePoints } from '../catalog/voice-endpoint.ts'
import type { PartTiming } from '../jobs/live-parts.ts'
import type { TimedSpeech } from '../speech/answer-speech.ts'

/** A text as its client sent it. Places count its code points. */
export interface SentText {
  readonly characters: readonly string[]
  /** Place of a code point of the submitted text, which may be a script around the one that was sent. */
  placeOf(codePoint: number): number
  /** Turns of a dialogue, with the places where they end. */
  readonly turns?: readonly { readonly voiceId: string; readonly end: number }[]
}

/** Times in seconds from the beginning of the speech. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
  /** Offset and length in code points of the submitted text. */
  readonly words: readonly Word[]
}

interface Word {
  readonly offset: number
  readonly length: number
  readonly start: number
  readonly end: number
}

interface Alignment {
  readonly characters: readonly string[]
  readonly character_start_times_seconds: readonly number[]
  readonly character_end_times_seconds: readonly number[]
}

export const sentText = (text: string): SentText => ({ characters: [...text], placeOf: (at) => at })

/** The fields beside the audio of a whole speech. */
export function wholeAlignment(sent: SentText, { durationMs, times }: Pick<TimedSpeech, 'durationMs' | 'times'>) {
  const { words } = times
  return fieldsOf(sent, { from: 0, to: sent.characters.length, start: 0, end: durationMs / 1000, words })
}

/** Times that come with the parts of a speech, before their audio. */
export class PartTimes {
  readonly #told: PartTiming[] = []
  #textEnd = 0
  #place = 0
  #samples = 0

  readonly note = (part: PartTiming): void => void this.#told.push(part)

  /** The fields for the parts that came since the call before. */
  take(sent: SentText, submitted: string, sampleRate: number): object {
    const [from, start] = [this.#place, this.#samples / sampleRate]
    const words = this.#told.splice(0).flatMap((part) => {
      const begin = this.#samples / sampleRate
      const before = codePoints(submitted.slice(0, this.#textEnd))
      const upTo = (unit: number) => before + codePoints(submitted.slice(this.#textEnd, unit))
      const own = part.words.map((word) => ({
        offset: upTo(word.start),
        length: codePoints(submitted.slice(word.start, word.end)),
        start: begin + word.from / 1000,
        end: begin + word.to / 1000,
      }))
      this.#place = sent.placeOf(upTo(part.textEnd))
      this.#textEnd = part.textEnd
      this.#samples += part.samples
      return own
    })
    if (this.#place === from) return noAlignment(sent)
    return fieldsOf(sent, { from, to: this.#place, start, end: this.#samples / sampleRate, words })
  }
}

/** A JSON object a line: audio as it is spoken, with the times of what begins in it. */
export async function* alignedLines(
  bytes: AsyncIterable<Uint8Array>,
  take: () => object,
  takeRest: () => Promise<object>,
): AsyncGenerator<string, void> {
  for await (const audio of bytes) yield line(audio, take())
  yield line(new Uint8Array(0), await takeRest())
}

const line = (audio: Uint8Array, beside: object): string =>
  `${JSON.stringify({ audio_base64: Buffer.from(audio).toString('base64'), ...beside })}\n`

const noAlignment = ({ turns }: SentText) => ({
  alignment: null,
  normalized_alignment: null,
  ...(turns && { voice_segments: [] }),
})

/** The times lead back to the text as it was sent, so both alignments are the same. */
function fieldsOf(sent: SentText, { from, to, start, end, words }: Stretch) {
  const placed = words.map((word) => {
    const offset = sent.placeOf(word.offset)
    return { ...word, offset: offset - from, length: sent.placeOf(word.offset + word.length) - offset }
  })
  const alignment = alignmentOf(sent.characters.slice(from, to), placed, start, end)
  const { turns } = sent
  return {
    alignment,
    normalized_alignment: alignment,
    ...(turns && { voice_segments: segmentsOf(turns, from, alignment) }),
  }
}

/** The turns, as far as these characters belong to them. */
function segmentsOf(turns: NonNullable<SentText['turns']>, from: number, alignment: Alignment): object[] {
  const count = alignment.characters.length
  return turns.flatMap(({ voiceId, end }, index) => {
    const first = Math.max(0, (turns[index - 1]?.end ?? 0) - from)
    const last = Math.min(count, end - from)
    if (last <= first) return []
    const segment = {
      voice_id: voiceId,
      start_time_seconds: alignment.character_start_times_seconds[first],
      end_time_seconds: alignment.character_end_times_seconds[last - 1],
      character_start_index: first,
      character_end_index: last,
      dialogue_input_index: index,
    }
    return [segment]
  })
}

/** Characters share the time of their word, and those between words the time between them. Pure. */
export function alignmentOf(
  characters: readonly string[],
  words: readonly Word[],
  begin: number,
  finish: number,
): Alignment {
  const starts: number[] = []
  const ends: number[] = []
  const share = (until: number, from: number, to: number): void => {
    const first = starts.length
    const step = (to - from) / Math.max(1, until - first)
    for (let at = first; at < until; at++) {
      starts.push(rounded(from + (at - first) * step))
      ends.push(rounded(from + (at - first + 1) * step))
    }
  }
  let time = begin
  for (const { offset, length, start, end } of words) {
    const from = Math.max(time, start)
    share(offset, time, from)
    time = Math.max(from, end)
    share(offset + length, from, time)
  }
  share(characters.length, time, Math.max(time, finish))
  return { characters, character_start_times_seconds: starts, character_end_times_seconds: ends }
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000
