import { durationMs, type Wav } from '../audio/wav.ts'
import { inParallel } from '../concurrency/in-parallel.ts'
import { BadAudio, NothingToSay, type Speech, type SpeechEngine, type SpeechRequest } from '../engines/engine.ts'
import { detectLanguage, knownLanguage, type Language } from '../engines/espeak/detect-language.ts'
import { ownLanguage } from '../engines/espeak/espeak-voice.ts'
import { addKanji, type KanjiTally, requireReadings } from '../engines/espeak/japanese/ordinary-kanji.ts'
import { peakOf } from '../engines/loudness.ts'
import type { Progress } from '../jobs/lifecycle/produce.ts'
import { secondsSince } from '../telemetry/telemetry.ts'
import { type Recording, SpeechAssembly, type SpokenChunk, type SpokenPart } from './assemble.ts'
import { type ExpectedSpeech, expectSpeech, LONGEST_RATIO } from './estimate-speech.ts'
import { levelSpeech } from './join.ts'
import { type Passage, type PassageChunk, sentenceEnds, splitPassages } from './markup/job-script.ts'
import { splitForListener, splitText } from './split.ts'
import { listen } from './timing/sounding-clock.ts'
import type { SpeechTiming } from './timing/speech-timing.ts'
import { type Heard, timeSpeechInTurns } from './timing/time-speech.ts'

const MORE_SEEDS = 2
const SEEDS = 2 ** 31
export const SPEAKABLE = /[\p{L}\p{N}\p{S}\p{Extended_Pictographic}]/u
/** Every language reads it. */
const PROBE_TEXT = '1, 2, 3, 4, 5.'
const AUDIBLE_PEAK = 64
const ENDED_SHARE = 0.02
const ENDED_SECONDS = 0.004
const FRAME_SECONDS = 0.01
const QUIET_FRAMES_SHARE = 0.05
const NOISE_RATIO = 2

interface Spoken extends Pick<Recording, 'audio'> {
  timing(): Promise<SpeechTiming>
  readonly durationMs: number
  readonly chunks: number
  readonly language: Language | undefined
  readonly checkSeconds: number
}

export type RenderedSpeech = SpokenChunk & Pick<Speech, 'words' | 'wordsFrom'>

export interface Meter {
  checkSeconds: number
  readonly kanji: KanjiTally
}

interface Listening {
  onProgress?(progress: Progress): void
  onPart?(part: SpokenPart): void
}

interface AudioExpectation {
  readonly expected?: ExpectedSpeech | undefined
  readonly truncated?: boolean | undefined
}

/**
 * Speaks a text in chunks with one seed and one language; checks, joins and levels them. The first failure stops the other chunks.
 * @throws EngineError; the signal's reason when aborted
 */
export async function speakText(
  engine: SpeechEngine,
  request: SpeechRequest,
  { onProgress, onPart }: Listening = {},
  passages?: readonly Passage[],
): Promise<Spoken> {
  const language = languageOf(request)
  const chunks = chunksOf(request, language, passages, onPart !== undefined)
  const [isWhole, rest] = [chunks.length === 1, new AbortController()]
  const signal = isWhole ? request.signal : AbortSignal.any([request.signal, rest.signal])
  const assembly = new SpeechAssembly(chunks, { speed: request.speed, onPart: isWhole ? undefined : onPart })
  const heard: (Heard | null)[] = chunks.map(() => null)
  const meter: Meter = { checkSeconds: 0, kanji: { read: 0, unread: 0 } }
  let done = 0
  const speakOne = async (chunk: PassageChunk, index: number): Promise<void> => {
    const spoken = isWhole && passages === undefined ? request : inChunk(request, chunk, language)
    const isSilent = !isWhole && !SPEAKABLE.test(chunk.text)
    const speech = isSilent
      ? null
      : await speakChunk(engine, { ...spoken, signal }, knownLanguage(chunk.change?.language) ?? language, meter).catch(
          pauseUnless(isWhole, meter),
        )
    if (speech !== null) heard[index] = heardIn(speech)
    done++
    if (!isWhole) onProgress?.({ done, total: chunks.length })
    assembly.add(index, speech)
  }
  if (!isWhole) onProgress?.({ done, total: chunks.length })
  const stopOthers = (error: unknown): never => {
    rest.abort(new Error('Another part of the text could not be spoken.'))
    throw error
  }
  await inParallel(chunks, chunksAtOnce(engine, request), (chunk, index) => speakOne(chunk, index).catch(stopOthers))
  requireReadings(meter.kanji)
  const { audio, timing: placements } = await assembly.finish()
  const text = { text: request.text, language, ends: sentenceEnds(passages ?? []) }
  const timing = () => timeSpeechInTurns(text, { chunks: placements, heard, sampleRate: audio.sampleRate })
  const { checkSeconds } = meter
  return { audio, timing, durationMs: durationMs(audio), chunks: chunks.length, language, checkSeconds }
}

/** Awaited speech has its next chunk waiting in the engine, so that no other work gets the turn between two of them. */
export const chunksAtOnce = ({ slots }: SpeechEngine, { awaitedBy }: SpeechRequest): number =>
  awaitedBy === undefined ? slots : slots + 1

export const heardIn = ({ audio, words, wordsFrom }: RenderedSpeech): Heard => ({
  clock: listen(audio),
  marks: words,
  markSource: wordsFrom === 'aligner' ? 'aligned' : 'engine',
})

export function chunksOf(
  request: SpeechRequest,
  language: Language | undefined,
  passages: readonly Passage[] | undefined,
  isHeard: boolean,
): PassageChunk[] {
  if (passages === undefined) return (isHeard ? splitForListener : splitText)(request.text, language)
  return splitPassages(request.text, passages, language, isHeard)
}

export const inChunk = (
  request: SpeechRequest,
  { text, change }: PassageChunk,
  language: Language | undefined,
): SpeechRequest => ({ ...request, text, ...(language !== undefined && { language }), ...change })

export function languageOf({ text, voice, language = 'auto' }: SpeechRequest): Language | undefined {
  return language === 'auto' ? detectLanguage(text, ownLanguage(voice)) : knownLanguage(language)
}

export const pauseUnless =
  (isWhole: boolean, meter: Meter) =>
  (error: unknown): null => {
    if (!(error instanceof NothingToSay) || isWhole) throw error
    addKanji(meter.kanji, error.kanji)
    return null
  }

export async function speakChunk(
  engine: SpeechEngine,
  request: SpeechRequest,
  language: Language | undefined,
  meter: Meter,
): Promise<RenderedSpeech> {
  const expected = expectSpeech(request.text, { ...request, language })
  for (let tries = 0; ; tries++) {
    const seed = request.seed === undefined ? undefined : (request.seed + tries) % SEEDS
    // A deterministic engine says exactly the text, so no estimate applies.
    const judge = once(({ audio, truncated }) => {
      const begun = performance.now()
      try {
        checkAudio(audio, { truncated, ...(!engine.deterministic && { expected }) })
      } finally {
        meter.checkSeconds += secondsSince(begun)
      }
    })
    try {
      const asked = {
        ...request,
        expectedSeconds: expected.longestInAll / LONGEST_RATIO,
        judge,
        probe: () => probeOf(request, language),
        ...(seed !== undefined && { seed }),
      }
      const speech = await engine.speak(asked)
      addKanji(meter.kanji, speech.kanji)
      judge(speech)
      return {
        ...levelled(speech, request),
        ...(speech.words && { words: speech.words }),
        ...(speech.wordsFrom && { wordsFrom: speech.wordsFrom }),
      }
    } catch (error) {
      if (!(error instanceof BadAudio) || engine.deterministic || tries === MORE_SEEDS) throw error
      request.signal.throwIfAborted()
    }
  }
}

function probeOf(request: SpeechRequest, language: Language | undefined): SpeechRequest {
  const expected = expectSpeech(PROBE_TEXT, { ...request, language })
  const judge = ({ audio, truncated }: Speech): void => checkAudio(audio, { truncated, expected })
  return { ...request, text: PROBE_TEXT, expectedSeconds: expected.longestInAll / LONGEST_RATIO, judge }
}

/** `SpeechAssembly` levels all chunks of an engine that measures loudness together; other chunks are levelled one by one. */
function levelled({ audio, loudness }: Speech, request: SpeechRequest): SpokenChunk {
  if (request.loudness === 'as_is') return { audio, loudness: undefined }
  return loudness === undefined ? { audio: levelSpeech(audio), loudness } : { audio, loudness }
}

function once(check: (speech: Speech) => void): (speech: Speech) => void {
  let judged: Speech | undefined
  return (speech) => {
    if (speech !== judged) check(speech)
    judged = speech
  }
}

/** @throws BadAudio for audio that is silent, truncated, cut off, too short or too long */
export function checkAudio(wav: Wav, { expected, truncated }: AudioExpectation = {}): void {
  if (wav.samples.length === 0) throw new BadAudio('The audio is empty.')
  const loudest = peakOf(wav.samples)
  if (loudest < AUDIBLE_PEAK) throw new BadAudio('The audio is silent.')
  if (truncated === true) throw new BadAudio('The engine stopped before the text ended.')
  if (expected !== undefined) {
    checkLength(wav, expected)
    checkEnd(wav, loudest)
  }
}

/** Only the sound counts against the shortest length: silence can hide a swallowed end. */
function checkLength(wav: Wav, { shortest, longest, longestInAll }: ExpectedSpeech): void {
  const clock = listen(wav)
  const sounding = clock.soundingAt(clock.speech.to) / wav.sampleRate
  const inAll = durationMs(wav) / 1000
  if (sounding < shortest) throw new BadAudio(tooMuch(sounding, 'short', shortest))
  if (sounding > longest) throw new BadAudio(tooMuch(sounding, 'long', longest))
  if (inAll > longestInAll) throw new BadAudio(tooMuch(inAll, 'long', longestInAll))
}

const tooMuch = (seconds: number, what: 'short' | 'long', limit: number): string =>
  `The audio takes ${seconds.toFixed(1)} s, which is too ${what} for its text: ${limit.toFixed(1)} s is the limit.`

function checkEnd({ samples, sampleRate }: Wav, loudest: number): void {
  const last = peakOf(samples.subarray(-Math.round(ENDED_SECONDS * sampleRate)))
  const noise = quietestOf(samples, Math.round(FRAME_SECONDS * sampleRate))
  if (last > Math.max(loudest * ENDED_SHARE, noise * NOISE_RATIO))
    throw new BadAudio('The audio ends in the middle of a sound.')
}

function quietestOf(samples: Int16Array, frame: number): number {
  const peaks = Array.from({ length: Math.floor(samples.length / frame) }, (_, at) =>
    peakOf(samples.subarray(at * frame, (at + 1) * frame)),
  ).sort((a, b) => a - b)
  return peaks[Math.floor(peaks.length * QUIET_FRAMES_SHARE)] ?? 0
}
