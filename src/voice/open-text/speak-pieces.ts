import { inParallel } from '../../concurrency/in-parallel.ts'
import type { SpeechEngine, SpeechRequest } from '../../engines/engine.ts'
import { knownLanguage, type Language } from '../../engines/espeak/detect-language.ts'
import { requireReadings } from '../../engines/espeak/japanese/ordinary-kanji.ts'
import { SpeechAssembly, type SpokenPart } from '../assemble.ts'
import { PAUSE_MS } from '../join.ts'
import { type JobScript, type PassageChunk, sentenceEnds } from '../markup/job-script.ts'
import {
  chunksAtOnce,
  chunksOf,
  heardIn,
  inChunk,
  languageOf,
  type Meter,
  pauseUnless,
  SPEAKABLE,
  speakChunk,
} from '../speak-text.ts'
import { endsParagraph, type Pause } from '../split.ts'
import { inSubmitted, type JobTiming, type TimedRange } from '../timing/speech-timing.ts'
import { type Heard, timeSpeech } from '../timing/time-speech.ts'
import { inWrittenWords } from '../timing/written-words.ts'
import type { TextState } from './text-state.ts'

const SENTENCE_END = /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"'*_]*\s*$/u
const CLAUSE_END = /[,;:–—、，；：]\s*$/u

/** A piece of the text, read by itself. `start` in UTF-16 units of the text, chunks by their places among all. */
interface Piece {
  readonly start: number
  readonly end: number
  readonly script: JobScript
  readonly language: Language | undefined
  readonly firstChunk: number
  readonly chunks: readonly PassageChunk[]
}

export interface TimedPart extends SpokenPart {
  /** Words in milliseconds from the part's beginning; offsets in the submitted text. */
  readonly words: readonly TimedRange[]
  /** End of the text that is spoken with this part. */
  readonly textEnd: number
}

interface Speaking {
  /** Reads a piece with its markup, lexicon and words. */
  read(text: string): Promise<JobScript>
  onPart(part: TimedPart): void
}

interface OpenRecording {
  readonly sampleRate: number
  readonly timing: JobTiming
  readonly chunks: number
}

/** Speaks the pieces of a text one after the other; all of them have one gain, seed and voice. */
export class PieceSpeaker {
  readonly #request: SpeechRequest
  readonly #speaking: Speaking
  readonly #assembly: SpeechAssembly
  readonly #chunks: PassageChunk[] = []
  readonly #heard: (Heard | null)[] = []
  readonly #pieces: Piece[] = []
  readonly #meter: Meter = { checkSeconds: 0, kanji: { read: 0, unread: 0 } }
  #samples = 0
  #pause: Pause = 'none'

  /** @param request its text does not matter */
  constructor(request: SpeechRequest, speaking: Speaking) {
    this.#request = request
    this.#speaking = speaking
    this.#assembly = new SpeechAssembly(this.#chunks, {
      speed: request.speed,
      onPart: (part) => speaking.onPart(this.#timed(part)),
      count: Number.POSITIVE_INFINITY,
      keeps: 'nothing',
    })
  }

  /** The number of pieces that were spoken. */
  get count(): number {
    return this.#pieces.length
  }

  get language(): Language | undefined {
    return this.#pieces[0]?.language
  }

  get checkSeconds(): number {
    return this.#meter.checkSeconds
  }

  /** Speaks the next piece of the text. @throws EngineError, JobFailure, the signal's reason */
  async speak(engine: SpeechEngine, { text, pieces }: TextState, signal: AbortSignal, deadline: number): Promise<void> {
    const piece = await this.#read(text, pieces[this.count - 1] ?? 0, pieces[this.count] as number)
    this.#pieces.push(piece)
    this.#chunks.push(...piece.chunks)
    this.#heard.push(...piece.chunks.map(() => null))
    this.#pause = piece.chunks.at(-1)?.silenceMs ? 'none' : pauseAfter(text.slice(piece.start, piece.end))
    const rest = new AbortController()
    const request = { ...this.#request, signal: AbortSignal.any([signal, rest.signal]), deadline }
    await inParallel(piece.chunks, chunksAtOnce(engine, request), (chunk, index) =>
      this.#speakChunk(engine, inChunk(request, chunk, piece.language), piece, index).catch((error: unknown) => {
        rest.abort(new Error('Another part of the text could not be spoken.'))
        throw error
      }),
    )
    requireReadings(this.#meter.kanji)
  }

  async #read(text: string, start: number, end: number): Promise<Piece> {
    const own = text.slice(start, end)
    const from = start + own.length - own.trimStart().length
    const { language: asked = 'auto' } = this.#request
    // More text is more evidence of the language, and all attempts see the same.
    const known = asked === 'auto' ? languageOf({ ...this.#request, text: text.slice(0, end) }) : knownLanguage(asked)
    const script = await this.#speaking.read(own.trim())
    const language = script.language ?? known
    const request = { ...this.#request, text: script.map.spoken, ...(language !== undefined && { language }) }
    const [first, ...more] = chunksOf(request, language, script.passages, this.count === 0)
    const silenceBeforeMs = PAUSE_MS[this.#pause] / (this.#request.speed ?? 1)
    const last = more.length - 1
    const chunks = first === undefined ? [] : [{ ...first, silenceBeforeMs }, ...more]
    const joined = chunks.map((chunk, index) => (index > last ? { ...chunk, pause: 'none' as const } : chunk))
    return { start: from, end, script, language, firstChunk: this.#chunks.length, chunks: joined }
  }

  async #speakChunk(engine: SpeechEngine, request: SpeechRequest, piece: Piece, index: number): Promise<void> {
    const chunk = piece.chunks[index] as PassageChunk
    const language = knownLanguage(chunk.change?.language) ?? piece.language
    const speech = SPEAKABLE.test(chunk.text)
      ? await speakChunk(engine, request, language, this.#meter).catch(pauseUnless(false, this.#meter))
      : null
    const place = piece.firstChunk + index
    if (speech !== null) this.#heard[place] = heardIn(speech)
    this.#assembly.add(place, speech)
  }

  #timed(part: SpokenPart): TimedPart {
    const piece = this.#pieces.findLast(({ firstChunk }) => firstChunk <= part.index) as Piece
    const { start, end, chunks, script } = piece
    const chunk = chunks[part.index - piece.firstChunk] as PassageChunk
    const isLast = part.index - piece.firstChunk === chunks.length - 1
    const textEnd = isLast
      ? end
      : start + script.map.toSubmitted({ start: chunk.start, end: chunk.start + chunk.text.length }).end
    const { words } = this.#timing(piece, part.index, part.index + 1, -this.#samples)
    this.#samples += part.wav.samples.length
    return { ...part, words, textEnd }
  }

  /**
   * Times of the chunks of a piece from one place to another.
   * @param shift samples
   */
  #timing({ start, script, language, firstChunk, chunks }: Piece, from: number, to: number, shift: number): JobTiming {
    const { map, passages } = script
    const own = chunks.slice(from - firstChunk, Math.max(0, to - firstChunk))
    const placements = own.map(({ start: textStart, text }, index) => {
      const placed = this.#assembly.placementOf(from + index)
      return {
        textStart,
        textEnd: textStart + text.length,
        from: placed.from + shift,
        to: placed.to + shift,
        skipped: placed.skipped,
      }
    })
    const text = { text: map.spoken, language, ends: sentenceEnds(passages ?? []) }
    const heard = this.#heard.slice(from, from + own.length)
    const timed = timeSpeech(text, placements, heard, this.#assembly.sampleRate ?? 1)
    return shifted(inWrittenWords(inSubmitted(timed, map), map, language), start)
  }

  /** The recording is made of the parts whose text lies before this end. @throws BadAudio if nothing was spoken */
  finish(textEnd: number, parts: readonly Pick<TimedPart, 'textEnd'>[]): OpenRecording {
    const count = parts.filter((part) => part.textEnd <= textEnd).length
    const all = this.#pieces
      .filter(({ firstChunk }) => firstChunk < count)
      .map((piece) => ({ piece, timing: this.#timing(piece, piece.firstChunk, count, 0) }))
    const heard = all.flatMap(
      ({ piece: { start, end }, timing }) => timing.heard ?? [{ start, end: Math.min(end, textEnd) }],
    )
    return {
      sampleRate: this.#assembly.measured().sampleRate,
      chunks: count,
      timing: {
        words: all.flatMap(({ timing }) => timing.words),
        sentences: all.flatMap(({ timing }) => timing.sentences),
        heard: all.every(({ timing }) => timing.heard === null)
          ? null
          : heard
              .filter(({ start }) => start < textEnd)
              .map((range) => ({ ...range, end: Math.min(range.end, textEnd) })),
      },
    }
  }
}

function pauseAfter(text: string): Pause {
  if (endsParagraph(text)) return 'paragraph'
  if (SENTENCE_END.test(text)) return 'sentence'
  return CLAUSE_END.test(text) ? 'clause' : 'none'
}

function shifted({ words, sentences, heard }: JobTiming, by: number): JobTiming {
  const moved = <Range extends { readonly start: number; readonly end: number }>(ranges: readonly Range[]): Range[] =>
    ranges.map((range) => ({ ...range, start: range.start + by, end: range.end + by }))
  return { words: moved(words), sentences: moved(sentences), heard: heard && moved(heard) }
}
