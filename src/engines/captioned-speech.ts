import type { Speech, WordMark } from './engine.ts'
import { parseJson } from './server-failure.ts'

export const CAPTIONED_PATH = '/dev/captioned_speech'

const DATA_URL = /^data:[^,]*,/
const WORD = /[\p{L}\p{N}\p{M}'’]+/gu
const COMPARED = /[\p{L}\p{N}\p{M}]/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const MOST_PASSED = 4

interface Caption {
  readonly word: string
  /** In seconds. */
  readonly start: number
}

interface Captioned {
  readonly bytes: Buffer
  readonly contentType: string
  /** Empty if the answer has no times. */
  wordsAt(sampleRate: number): Pick<Speech, 'words'>
}

/** Reads base64 audio and the times of its words; null for anything else. Pure. */
export function readCaptioned(answer: unknown, text: string): Captioned | null {
  const { audio, audio_format: format, timestamps } = (answer ?? {}) as Record<string, unknown>
  if (typeof audio !== 'string') return null
  const captions = Array.isArray(timestamps) ? timestamps.flatMap((one) => captionOf(one, 'start_time', 1)) : null
  return {
    bytes: Buffer.from(audio.replace(DATA_URL, ''), 'base64'),
    contentType: typeof format === 'string' ? `audio/${format}` : '',
    wordsAt: (sampleRate) => (captions === null ? {} : { words: toMarks(captions, text, sampleRate) }),
  }
}

/** Reads vLLM-Omni's header: words with milliseconds, left out for long texts. Pure. */
export function readWordTimestamps(
  header: string | undefined,
  sampleRate: number,
  text: string,
): Pick<Speech, 'words' | 'wordsFrom'> {
  const listed = parseJson(header ?? '')
  if (!Array.isArray(listed)) return {}
  const captions = listed.flatMap((one) => captionOf(one, 'start_ms', 1000))
  return { words: toMarks(captions, text, sampleRate), wordsFrom: 'aligner' }
}

export const refusesTimes = (status: number, body: Buffer): boolean =>
  status >= 400 && status < 500 && /word.timestamps|forced.aligner/i.test(body.toString())

function captionOf(one: unknown, field: string, perSecond: number): Caption[] {
  const { word, [field]: start } = (one ?? {}) as Record<string, unknown>
  return typeof word === 'string' && typeof start === 'number' && start >= 0 ? [{ word, start: start / perSecond }] : []
}

interface Letter {
  readonly letter: string
  readonly index: number
  readonly isFirst: boolean
}

/** Each named word follows the one before; duplicates and punctuation get no mark. */
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
