import { WAV_HEADER_BYTES, writeWavHeader } from '../../audio/wav-header.ts'
import {
  BadAudio,
  EngineError,
  type EngineVoice,
  NothingToSay,
  paceOf,
  type Speech,
  type SpeechEngine,
  type SpeechRequest,
} from '../engine.ts'
import type { SherpaBlock } from '../engine-block.ts'
import { detectLanguage, LANGUAGE_CODES } from '../espeak/detect-language.ts'
import { ownLanguage } from '../espeak/espeak-voice.ts'
import { withRetries } from '../retry.ts'
import { findModelFiles } from './find-model-files.ts'
import { FAMILIES } from './sherpa-families.ts'
import type { SherpaModel, Spoken } from './sherpa-model.ts'

const FULL_SCALE = 32_767
const RETRY_BUDGET_MS = 60_000
const MOST_TIMES = 30
const MIN_LIMIT_MS = 60_000
const NO_AUDIO = /produced no audio|no audio/i

interface Recording {
  readonly samples: Int16Array
  readonly sampleRate: number
}

export type ReadRecording = (bytes: Uint8Array) => Recording

const CODES: Readonly<Record<string, string>> = LANGUAGE_CODES
const KOKORO_OWN: ReadonlySet<string | undefined> = new Set(['zh', 'en', undefined])

/** @throws FailedAttempt if a file is missing */
export async function sherpaConfig(block: SherpaBlock, modelsDir: string): Promise<object> {
  const { model, rules } = await findModelFiles(block, modelsDir)
  return {
    model: { [block.family]: model, numThreads: block.threads, provider: 'cpu', debug: false },
    maxNumSentences: 1,
    ...rules,
  }
}

/** A text that ends its process is tried twice more in new ones. */
export function openSherpa(block: SherpaBlock, model: SherpaModel, readRecording: ReadRecording): SpeechEngine {
  const { clones, hasPace } = FAMILIES[block.family]
  const once: SpeechEngine = {
    slots: block.slots,
    deterministic: false,
    voices: async (signal) => {
      const speakers = await model.speakers(signal)
      return clones ? null : Array.from({ length: speakers }, (_, number) => String(number))
    },
    speak: async (request) => {
      const options = optionsOf(block, request, readRecording)
      if (!clones) await checkSpeaker(model, Number(options.sid), request.signal)
      const limitMs = MIN_LIMIT_MS + Math.ceil((request.expectedSeconds ?? 0) * MOST_TIMES * 1000)
      const pace = hasPace ? 1 : paceOf(request.speed)
      const spoken = await model.speak({ text: request.text, options, pace }, limitMs, request.signal)
      if ('failed' in spoken) throw refusalOf(spoken.failed)
      return toSpeech(spoken)
    },
    close: async () => undefined,
  }
  return withRetries(once, { retryBudgetMs: RETRY_BUDGET_MS })
}

/** The library silently uses speaker 0 for an unknown one. */
async function checkSpeaker(model: SherpaModel, speaker: number, signal: AbortSignal): Promise<void> {
  const speakers = await model.speakers(signal)
  if (speaker < speakers) return
  throw new EngineError(
    'INTERNAL_ERROR',
    `The model has ${speakers} speakers, from 0: engine_voice ${speaker} is none.`,
  )
}

function optionsOf(block: SherpaBlock, request: SpeechRequest, readRecording: ReadRecording): Record<string, unknown> {
  const { clones, hasPace } = FAMILIES[block.family]
  const { voice } = request
  const speed = hasPace ? (request.speed ?? 1) : 1
  const sid = clones ? 0 : Number(voice.engineVoice)
  return {
    sid,
    speed,
    generationConfig: {
      sid,
      speed,
      ...(block.steps !== undefined && { numSteps: block.steps }),
      ...(clones && recordingOf(voice, readRecording)),
      extra: extraOf(block, request),
    },
  }
}

function recordingOf({ referenceAudio, referenceText }: EngineVoice, readRecording: ReadRecording) {
  if (referenceAudio === null)
    throw new EngineError('INTERNAL_ERROR', 'This model speaks like a recording; the voice has none.')
  const { samples, sampleRate } = readOr(referenceAudio, readRecording)
  return {
    referenceAudio: Float32Array.from(samples, (sample) => sample / (FULL_SCALE + 1)),
    referenceSampleRate: sampleRate,
    referenceText: referenceText ?? '',
  }
}

function readOr(bytes: Uint8Array, readRecording: ReadRecording): Recording {
  try {
    return readRecording(bytes)
  } catch (error) {
    throw new EngineError('INTERNAL_ERROR', `The voice's recording cannot be read: ${(error as Error).message}`)
  }
}

function extraOf(
  { family }: SherpaBlock,
  { language = 'auto', text, seed, voice }: SpeechRequest,
): Record<string, string | number> {
  const code = CODES[language === 'auto' ? (detectLanguage(text, ownLanguage(voice)) ?? '') : language]
  if (family === 'pocket') return seed === undefined ? {} : { seed }
  if (family === 'kokoro') return KOKORO_OWN.has(code) ? {} : { lang: code as string }
  if (family !== 'supertonic') return {}
  // The library would say nothing, which is a pause in a longer text.
  if (code === 'zh') throw new EngineError('RENDER_FAILED', 'Supertonic models do not speak Chinese.')
  return { ...(code !== undefined && { lang: code }), ...(seed !== undefined && { seed }) }
}

const refusalOf = (reason: string): EngineError =>
  NO_AUDIO.test(reason)
    ? new NothingToSay(reason)
    : new EngineError('RENDER_FAILED', `The model could not speak: ${reason}`)

function toSpeech({ samples, sampleRate }: Spoken): Speech {
  if (samples.length === 0) throw new BadAudio('The model gave no samples.')
  const wav = new Uint8Array(WAV_HEADER_BYTES + samples.length * 2)
  const view = new DataView(wav.buffer)
  for (let at = 0; at < samples.length; at++) {
    const level = Math.max(-1, Math.min(1, samples[at] ?? 0))
    view.setInt16(WAV_HEADER_BYTES + at * 2, Math.round((Number.isNaN(level) ? 0 : level) * FULL_SCALE), true)
  }
  writeWavHeader(wav, sampleRate)
  return { wav }
}
