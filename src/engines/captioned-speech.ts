import type { Speech, WordMark } from './engine.ts'
import { mendWavSizes, WAV_HEADER_BYTES } from './wav-header.ts'

/** Where Kokoro-FastAPI also says when each word is heard. */
export const CAPTIONED_PATH = '/dev/captioned_speech'

const SAMPLE_RATE_AT = 24
/** What a server reads as other words, such as a number, is passed over: so many words of the text at once. */
const MOST_PASSED = 4

interface Caption {
  readonly word: string
  readonly start_time: number
}

/** Audio with its words' times; null for anything else, and where there are no times. Pure. */
export function readCaptioned(answer: unknown, text: string): (Pick<Speech, 'words'> & { wav: Buffer }) | null {
  const { audio, timestamps } = (answer ?? {}) as { audio?: unknown; timestamps?: unknown }
  if (typeof audio !== 'string') return null
  const wav = Buffer.from(audio, 'base64')
  if (wav.length < WAV_HEADER_BYTES) return null
  mendWavSizes(wav)
  if (!Array.isArray(timestamps)) return { wav }
  return { wav, words: toMarks(timestamps.filter(isCaption), text, wav.readUInt32LE(SAMPLE_RATE_AT)) }
}

const isCaption = (one: unknown): one is Caption =>
  typeof one === 'object' &&
  one !== null &&
  'word' in one &&
  typeof one.word === 'string' &&
  'start_time' in one &&
  typeof one.start_time === 'number' &&
  one.start_time >= 0

/** The words of a text that the server names, each after the one before. Doubled ones and punctuation are none. */
function toMarks(captions: readonly Caption[], text: string, sampleRate: number): WordMark[] {
  const words = Array.from(text.matchAll(/[\p{L}\p{N}\p{M}'’]+/gu), ({ 0: word, index }) => ({
    word: bare(word),
    index,
  }))
  const marks: WordMark[] = []
  let next = 0
  for (const { word, start_time: seconds } of captions) {
    const said = bare(word)
    const ahead = words.slice(next, next + MOST_PASSED + 1).findIndex((one) => one.word === said)
    if (said === '' || ahead < 0) continue
    marks.push({ offset: words[next + ahead]!.index, sample: Math.round(seconds * sampleRate) })
    next += ahead + 1
  }
  return marks
}

const bare = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, '')
