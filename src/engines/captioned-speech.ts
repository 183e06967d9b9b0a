import { parseWav } from '../audio/wav.ts'
import type { Speech, WordMark } from './engine.ts'

/** Where Kokoro-FastAPI also says when each word is heard. */
export const CAPTIONED_PATH = '/dev/captioned_speech'

const DATA_URL = /^data:[^,]*,/
const WORD = /[\p{L}\p{N}\p{M}'’]+/gu
const COMPARED = /[\p{L}\p{N}\p{M}]/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** What a server reads as other words, such as a number, is passed over: so many words of the text at once. */
const MOST_PASSED = 4

interface Caption {
  readonly word: string
  /** When it begins, in seconds. */
  readonly start: number
}

/** Audio, and what was said of its words. */
interface Captioned {
  readonly bytes: Buffer
  /** The media type that the answer states. */
  readonly contentType: string
  /** The times of the words in the audio; empty if the answer has none. */
  wordsAt(wav: Uint8Array): Pick<Speech, 'words'>
}

/** Audio in base64 with its words' times; null for anything else. Pure. */
export function readCaptioned(answer: unknown, text: string): Captioned | null {
  const { audio, audio_format: format, timestamps } = (answer ?? {}) as Record<string, unknown>
  if (typeof audio !== 'string') return null
  const captions = Array.isArray(timestamps) ? timestamps.flatMap((one) => captionOf(one, 'start_time', 1)) : null
  return {
    bytes: Buffer.from(audio.replace(DATA_URL, ''), 'base64'),
    contentType: typeof format === 'string' ? `audio/${format}` : '',
    wordsAt: (wav) => (captions === null ? {} : { words: toMarks(captions, text, parseWav(wav).sampleRate) }),
  }
}

/**
 * What vLLM-Omni with a forced aligner says in a header of its answer: a list of words with milliseconds. Nothing where it is left out, as
 * it is for a long text. Pure.
 */
export function readWordTimestamps(
  header: string | undefined,
  wav: Uint8Array,
  text: string,
): Pick<Speech, 'words' | 'wordsFrom'> {
  const listed = parse(header ?? '')
  if (!Array.isArray(listed)) return {}
  const captions = listed.flatMap((one) => captionOf(one, 'start_ms', 1000))
  return { words: toMarks(captions, text, parseWav(wav).sampleRate), wordsFrom: 'aligner' }
}

/** A server without an aligner answers so where times are asked for. */
export const refusesTimes = (status: number, body: Buffer): boolean =>
  status >= 400 && status < 500 && /word.timestamps|forced.aligner/i.test(body.toString())

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

function captionOf(one: unknown, field: string, perSecond: number): Caption[] {
  const { word, [field]: start } = (one ?? {}) as Record<string, unknown>
  return typeof word === 'string' && typeof start === 'number' && start >= 0 ? [{ word, start: start / perSecond }] : []
}

/** A letter or digit of a text as it is compared. */
interface Letter {
  readonly letter: string
  readonly index: number
  /** Whether a word begins with it: in scripts without spaces any may. */
  readonly isFirst: boolean
}

/** The words of a text that the server names, each after the one before. Doubled ones and punctuation are none. */
function toMarks(captions: readonly Caption[], text: string, sampleRate: number): WordMark[] {
  const letters = lettersOf(text)
  const marks: WordMark[] = []
  let next = 0
  for (const { word, start } of captions) {
    const said = lettersOf(word).map(({ letter }) => letter)
    const at = said.length === 0 ? null : findWord(letters, said, next)
    if (at === null) continue
    marks.push({ offset: letters[at]!.index, sample: Math.round(start * sampleRate) })
    next = at + said.length
  }
  return marks
}

/** Where a word stands as a whole, with few others before it. */
function findWord(letters: readonly Letter[], said: readonly string[], from: number): number | null {
  let passed = 0
  for (let at = from; at + said.length <= letters.length && passed <= MOST_PASSED; at++) {
    if (!letters[at]!.isFirst) continue
    const isWhole = letters[at + said.length]?.isFirst !== false
    if (isWhole && said.every((letter, index) => letters[at + index]!.letter === letter)) return at
    passed++
  }
  return null
}

function lettersOf(text: string): Letter[] {
  const letters: Letter[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    let [at, isFirst] = [index, true]
    for (const character of word) {
      const isAlone = UNSPACED.test(character)
      if (COMPARED.test(character)) {
        letters.push({ letter: character.toLowerCase(), index: at, isFirst: isFirst || isAlone })
        isFirst = isAlone
      }
      at += character.length
    }
  }
  return letters
}
