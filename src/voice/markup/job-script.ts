import type { Parts } from '../../context/context.ts'
import { paceOf, type SpeechRequest } from '../../engines/engine.ts'
import { detectLanguage, knownLanguage, type Language } from '../../engines/espeak/detect-language.ts'
import { ownLanguage } from '../../engines/espeak/espeak-voice.ts'
import { variantOf } from '../../engines/text-normalization.ts'
import { JobFailure } from '../../jobs/job-states.ts'
import type { Claim } from '../../jobs/lifecycle/claim-job.ts'
import type { Lexicons } from '../../lexicon/account-lexicon.ts'
import { type Chunk, splitForListener, splitText } from '../split.ts'
import { OffsetMap } from '../timing/offset-map.ts'
import { inWords } from './in-words.ts'
import { isComposed, readScript } from './read-script.ts'
import { saidAs } from './say-as.ts'
import {
  applyLexicon,
  isFarLonger,
  languageOf,
  type Manner,
  MarkupViolation,
  type Script,
  type Segment,
  spokenText,
} from './script.ts'
import { closeElements } from './ssml.ts'

const SENTENCE_SILENCE_MS = 1000

/** `passages` is absent if the text has one manner. */
export interface JobScript {
  readonly map: OffsetMap
  /** The language in which the text was read; absent if it was not. */
  readonly language?: Language
  readonly passages?: readonly Passage[]
}

type ScriptRequest = Pick<SpeechRequest, 'text' | 'language' | 'speed'> & Partial<Pick<SpeechRequest, 'voice'>>

interface ScriptParts extends Pick<Parts, 'db'> {
  readonly lexicons: Lexicons
}

type VoiceOf = (voice: string) => Promise<SpeechRequest['voice'] | null>

type Change = Partial<Pick<SpeechRequest, 'voice' | 'language' | 'speed'>>

/** A stretch with one manner and the silence after it; offsets in UTF-16 units of the spoken text. */
export interface Passage extends Pick<Chunk, 'pause'> {
  readonly start: number
  readonly end: number
  readonly silenceMs: number
  readonly change: Change
}

export interface PassageChunk extends Chunk {
  readonly silenceMs?: number
  readonly silenceBeforeMs?: number
  readonly change?: Change
}

/**
 * Reads a claimed job's text with its markup, then its account's lexicon, then in words.
 * @param isRead whether the engine gets words instead of numbers and signs
 * @param voiceOf loads another voice of the endpoint; null if it has none of that name
 * @throws JobFailure RENDER_FAILED if markup and lexicon make it far longer than the submitted text
 */
export async function jobScript(
  parts: ScriptParts,
  claim: Pick<Claim, 'accountId' | 'options' | 'lexicon'>,
  request: ScriptRequest,
  isRead: boolean,
  voiceOf: VoiceOf,
): Promise<JobScript> {
  const { text } = request
  const markup = claim.options.markup ?? 'none'
  if (!isRead && markup === 'none' && claim.lexicon === null && isComposed(text)) return { map: OffsetMap.plain(text) }
  const written = readOrFail(text, claim.options)
  const lexicon = claim.lexicon === null ? null : await parts.lexicons.get(parts.db, claim.accountId, claim.lexicon)
  const { language, voice } = request
  const own = voice && ownLanguage(voice)
  const whole = languageOf(written, language, own) ?? own
  const script = lexicon === null ? written : applyLexicon(written, text, lexicon, whole)
  // The caller cannot know how many words a number has, so they do not count.
  if (isFarLonger(spokenText(script).length, text.length))
    throw new JobFailure('RENDER_FAILED', 'with its aliases the text is more than twice as long')
  const changes = await changesOf(script, request, voiceOf)
  const readers = readersOf(changes, request, whole)
  const asked = await saidAs(
    script,
    readers.map((reader) => ({ ...reader, language: reader.language ?? 'English' })),
  )
  const spoken = isRead ? await inOwnWords(asked, text, readers) : asked
  const map = new OffsetMap(
    text,
    spoken.segments.flatMap(({ spans }) => spans),
  )
  return {
    map,
    ...((isRead || asked !== script) && whole !== undefined && { language: whole }),
    ...(markup !== 'none' && { passages: passagesOf(spoken, changes) }),
  }
}

/** The language and variety in which each segment is read. */
function readersOf(
  changes: readonly Change[],
  { language = 'auto', voice }: ScriptRequest,
  whole: Language | undefined,
): { readonly language: Language | undefined; readonly variant: ReturnType<typeof variantOf> }[] {
  const usual = language === 'auto' ? whole : knownLanguage(language)
  return changes.map((change) => {
    const spoken = change.language === undefined ? usual : knownLanguage(change.language)
    return { language: spoken, variant: variantOf(change.voice ?? voice, spoken) }
  })
}

async function inOwnWords(script: Script, text: string, readers: ReturnType<typeof readersOf>): Promise<Script> {
  const read = await inWords(script, text, readers)
  // A text of pictures alone has no words.
  return spokenText(read).trim() === '' ? script : read
}

function readOrFail(text: string, { markup, code, pieces }: Claim['options']): Script {
  try {
    // A text that its listener interrupted may end within an element.
    const whole = pieces !== undefined && markup === 'ssml' ? closeElements(text) : text
    return readScript(whole, markup ?? 'none', code)
  } catch (error) {
    if (!(error instanceof MarkupViolation)) throw error
    throw new JobFailure('RENDER_FAILED', 'the markup of the text cannot be read')
  }
}

/** How each segment differs from the job's own voice, language and pace. */
async function changesOf({ segments }: Script, request: ScriptRequest, voiceOf: VoiceOf): Promise<Change[]> {
  const voices = new Map<string, SpeechRequest['voice'] | null>()
  const changes: Change[] = []
  for (const { spans, manner } of segments) {
    const { voice: name } = manner
    if (name !== undefined && !voices.has(name)) voices.set(name, await voiceOf(name))
    const voice = name === undefined ? undefined : (voices.get(name) ?? undefined)
    changes.push(changeOf(manner, request, voice, spans))
  }
  return changes
}

function passagesOf({ segments }: Script, changes: readonly Change[]): Passage[] {
  const passages: Passage[] = []
  for (const [index, { spans, pause, silenceMs }] of segments.entries()) {
    const start = passages.at(-1)?.end ?? 0
    const end = start + spans.reduce((sum, { spoken }) => sum + spoken.length, 0)
    passages.push({ start, end, pause, silenceMs, change: changes[index]! })
  }
  return passages
}

function changeOf(
  { language, rate }: Manner,
  { speed = 1, ...request }: Omit<ScriptRequest, 'text'>,
  voice: SpeechRequest['voice'] | undefined,
  spans: Segment['spans'],
): Change {
  const spoken = language ?? languageFor(request, voice, spans)
  return {
    ...(spoken !== undefined && { language: spoken }),
    ...(rate !== undefined && { speed: paceOf(speed * rate) }),
    ...(voice !== undefined && { voice }),
  }
}

function languageFor(
  { language = 'auto', voice: main }: Omit<ScriptRequest, 'text'>,
  voice: SpeechRequest['voice'] | undefined,
  spans: Segment['spans'],
): Language | undefined {
  const own = voice && ownLanguage(voice)
  if (language !== 'auto' || own === undefined || own === (main && ownLanguage(main))) return undefined
  return detectLanguage(spans.map(({ spoken }) => spoken).join(''), own)
}

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
    const pieces = own.trim() === '' ? [] : split(own, knownLanguage(change.language) ?? language)
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
