import type { TimedSpeech } from './answer-speech.ts'

/** A start and an end, in seconds, for each character (code point) of the submitted text. */
interface Alignment {
  readonly characters: readonly string[]
  readonly character_start_times_seconds: readonly number[]
  readonly character_end_times_seconds: readonly number[]
}

type Timed = Pick<TimedSpeech, 'text' | 'durationMs' | 'times'>

type Word = Pick<Timed['times']['words'][number], 'offset' | 'length' | 'start' | 'end'>

interface AlignedText extends Omit<Timed, 'times'> {
  readonly times: { readonly words: readonly Word[] }
}

/** Characters share the time of their word, and those between words the time between them. Pure. */
export function alignmentOf({ text, durationMs, times }: AlignedText): Alignment {
  const characters = [...text]
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
  let time = 0
  for (const { offset, length, start, end } of times.words) {
    const from = Math.max(time, start)
    share(offset, time, from)
    time = Math.max(from, end)
    share(offset + length, from, time)
  }
  share(characters.length, time, Math.max(time, durationMs / 1000))
  return { characters, character_start_times_seconds: starts, character_end_times_seconds: ends }
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

/** The fields beside the audio. The times lead back to the text as it was sent, so both alignments are the same. */
export function alignmentsBeside(timed: Timed) {
  const alignment = alignmentOf(timed)
  return { alignment, normalized_alignment: alignment }
}

/** A JSON object a line: audio as it is spoken, then the times with the last of it. */
export async function* alignedLines(
  bytes: AsyncIterable<Uint8Array>,
  loadTimes: () => Promise<Timed>,
): AsyncGenerator<string, void> {
  let held: Uint8Array | null = null
  for await (const piece of bytes) {
    if (held !== null) yield line(held, { alignment: null, normalized_alignment: null })
    held = piece
  }
  yield line(held ?? new Uint8Array(0), alignmentsBeside(await loadTimes()))
}

const line = (audio: Uint8Array, beside: object): string =>
  `${JSON.stringify({ audio_base64: Buffer.from(audio).toString('base64'), ...beside })}\n`
