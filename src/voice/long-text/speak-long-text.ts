import type { SampleStream } from '../../audio/transcode.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import type { SpeechEngine, SpeechRequest } from '../../engines/engine.ts'
import { knownLanguage, type Language } from '../../engines/espeak/detect-language.ts'
import { addKanji, requireReadings } from '../../engines/espeak/japanese/ordinary-kanji.ts'
import type { Progress } from '../../jobs/lifecycle/produce.ts'
import { SpeechAssembly, type SpokenPart } from '../assemble.ts'
import { type JobScript, type PassageChunk, sentenceEnds, splitPassages } from '../markup/job-script.ts'
import {
  chunksAtOnce,
  heardIn,
  inChunk,
  languageOf,
  type Meter,
  pauseUnless,
  type RenderedSpeech,
  SPEAKABLE,
  speakChunk,
} from '../speak-text.ts'
import { inSubmitted, type JobTiming, type SpeechTiming, type TimedRange } from '../timing/speech-timing.ts'
import { type Heard, timeSpeechInTurns } from '../timing/time-speech.ts'
import { inWrittenWords } from '../timing/written-words.ts'
import type { KeptChunk, KeptSpeech } from './kept-speech.ts'
import { type Section, sectionsOf } from './sections.ts'

/** A WAV file ends earlier at rates above 12 kHz. */
const MAX_LONG_SECONDS = 48 * 3600

interface Listening {
  onProgress(progress: Progress): void
  readonly onPart?: ((part: SpokenPart) => void) | undefined
}

interface LongSpeech {
  /** The recording, which is read from the store chunk by chunk. */
  readonly speech: SampleStream & { readonly totalSamples: number }
  readonly timing: JobTiming
  readonly chunks: number
  readonly language: Language | undefined
  readonly checkSeconds: number
}

interface SplitSection extends Section {
  readonly firstChunk: number
  readonly chunks: readonly PassageChunk[]
}

interface Speaking {
  readonly kept: KeptSpeech
  /** Names the speech of a chunk's request. */
  readonly name: (request: SpeechRequest) => string
  readonly listening: Listening
}

/**
 * Speaks a long text like `speakText`, but keeps its chunks in the store: memory does not grow with the recording, and an attempt goes on
 * where the one before stopped. The first failure stops the other chunks.
 * @throws EngineError; errors of the store; the signal's reason when aborted
 */
export async function speakLongText(
  engine: SpeechEngine,
  request: SpeechRequest,
  { map, passages, language: readIn }: JobScript,
  { kept, name, listening }: Speaking,
): Promise<LongSpeech> {
  const language = readIn ?? languageOf(request)
  const sections = await splitSections(map.spoken, passages, language, listening.onPart !== undefined)
  const chunks = sections.flatMap((section) => section.chunks)
  const options = { speed: request.speed, keeps: 'nothing', longestSeconds: MAX_LONG_SECONDS } as const
  const assembly = new SpeechAssembly(chunks, { ...options, onPart: listening.onPart })
  const times = new SectionTimes(sections, assembly, map, language)
  const meter: Meter = { checkSeconds: 0, kanji: { read: 0, unread: 0 } }
  const speakOne = async (chunk: PassageChunk, index: number, signal: AbortSignal): Promise<boolean> => {
    const asked = { ...inChunk(request, chunk, language), signal }
    const own = knownLanguage(chunk.change?.language) ?? language
    const { speech, isKept } = SPEAKABLE.test(chunk.text)
      ? await kept.speak(index, name(asked), () => speakMetered(engine, asked, own, meter))
      : { speech: null, isKept: false }
    if (isKept) addKanji(meter.kanji, speech?.kanji)
    times.hear(index, speech)
    assembly.add(index, speech)
    await times.timeSpoken()
    return isKept
  }
  const atOnce = chunksAtOnce(engine, request)
  if (kept.isFirst) listening.onProgress({ done: 0, total: chunks.length })
  await speakAll(chunks, atOnce, request.signal, listening, speakOne)
  requireReadings(meter.kanji)
  const { sampleRate, totalSamples, gain } = assembly.measured()
  const speech = { sampleRate, totalSamples, blocks: replay(kept, chunks, { ...options, gain }) }
  return { speech, timing: times.all(), chunks: chunks.length, language, checkSeconds: meter.checkSeconds }
}

/** Speaks a chunk with a meter of its own, because the count of its kanji is kept with it. */
async function speakMetered(
  engine: SpeechEngine,
  request: SpeechRequest,
  language: Language | undefined,
  meter: Meter,
): Promise<KeptChunk | null> {
  const own: Meter = { checkSeconds: 0, kanji: { read: 0, unread: 0 } }
  try {
    const speech = await speakChunk(engine, request, language, own).catch(pauseUnless(false, own))
    return speech === null ? null : { ...speech, ...(own.kanji.read + own.kanji.unread > 0 && { kanji: own.kanji }) }
  } finally {
    meter.checkSeconds += own.checkSeconds
    addKanji(meter.kanji, own.kanji)
  }
}

/** Tells the progress, which kept chunks alone do not change; the first failure stops the other chunks. */
async function speakAll(
  chunks: readonly PassageChunk[],
  atOnce: number,
  signal: AbortSignal,
  { onProgress }: Listening,
  speakOne: (chunk: PassageChunk, index: number, signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  const rest = new AbortController()
  const either = AbortSignal.any([signal, rest.signal])
  let done = 0
  await inParallel(chunks, atOnce, async (chunk, index) => {
    try {
      either.throwIfAborted()
      const isKept = await speakOne(chunk, index, either)
      if (++done === chunks.length || !isKept) onProgress({ done, total: chunks.length })
    } catch (error) {
      rest.abort(new Error('Another part of the text could not be spoken.'))
      throw error
    }
  })
}

async function splitSections(
  text: string,
  passages: JobScript['passages'],
  language: Language | undefined,
  isHeard: boolean,
): Promise<SplitSection[]> {
  const sections: SplitSection[] = []
  let firstChunk = 0
  for (const section of sectionsOf(text, passages, language)) {
    const chunks = splitPassages(text, section.passages, language, isHeard && firstChunk === 0)
    sections.push({ ...section, firstChunk, chunks })
    firstChunk += chunks.length
    await nextTurn()
  }
  return sections
}

/** Joins the kept chunks once more, now with the gain of the whole recording. */
async function* replay(
  kept: KeptSpeech,
  chunks: readonly PassageChunk[],
  options: ConstructorParameters<typeof SpeechAssembly>[1],
): AsyncGenerator<Int16Array, void> {
  const ready: Int16Array[] = []
  const assembly = new SpeechAssembly(chunks, { ...options, onPart: ({ wav }) => ready.push(wav.samples) })
  let index = 0
  for await (const speech of kept.all(chunks.length)) {
    assembly.add(index++, speech)
    yield* ready.splice(0)
  }
}

/** Times each section as soon as all of its chunks are placed. */
class SectionTimes {
  readonly #sections: readonly SplitSection[]
  readonly #assembly: SpeechAssembly
  readonly #map: JobScript['map']
  readonly #language: Language | undefined
  readonly #heard: (Heard | null | undefined)[] = []
  readonly #done: SpeechTiming[] = []
  #timed = 0

  constructor(
    sections: readonly SplitSection[],
    assembly: SpeechAssembly,
    map: JobScript['map'],
    language: Language | undefined,
  ) {
    this.#sections = sections
    this.#assembly = assembly
    this.#map = map
    this.#language = language
  }

  hear(index: number, speech: RenderedSpeech | null): void {
    this.#heard[index] = speech === null ? null : heardIn(speech)
  }

  /** Other work of the process runs between the chunks. */
  async timeSpoken(): Promise<void> {
    const place = this.#timed
    const next = this.#sections[place]
    if (next === undefined || next.firstChunk + next.chunks.length > this.#assembly.count) return
    // Several sections may be timed at the same time.
    this.#timed++
    this.#done[place] = await this.#time(next)
    await this.timeSpoken()
  }

  all(): JobTiming {
    const { heard } = inSubmitted({ words: [], sentences: [] }, this.#map)
    return {
      words: this.#done.flatMap(({ words }) => words),
      sentences: this.#done.flatMap(({ sentences }) => sentences),
      heard,
    }
  }

  async #time({ start, end, passages, firstChunk, chunks }: SplitSection): Promise<SpeechTiming> {
    const text = this.#map.spoken.slice(start, end)
    const placements = chunks.map((chunk, index) => {
      const textStart = chunk.start - start
      return { textStart, textEnd: textStart + chunk.text.length, ...this.#assembly.placementOf(firstChunk + index) }
    })
    const ends = sentenceEnds(passages).map((at) => at - start)
    const heard = chunks.map((_, index) => this.#heard[firstChunk + index] ?? null)
    this.#heard.fill(undefined, firstChunk, firstChunk + chunks.length)
    const spoken = { text, language: this.#language, ends }
    const recording = { chunks: placements, heard, sampleRate: this.#assembly.sampleRate ?? 1 }
    const { words, sentences } = await timeSpeechInTurns(spoken, recording)
    const moved = (ranges: readonly TimedRange[]) =>
      ranges.map((range) => ({ ...range, start: range.start + start, end: range.end + start }))
    const own = inSubmitted({ words: moved(words), sentences: moved(sentences) }, this.#map)
    return inWrittenWords(own, this.#map, this.#language, this.#map.toSubmitted({ start, end }))
  }
}
