import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRecording } from '../audio/read-recording.ts'
import { writeWav } from '../audio/wav.ts'
import type { Context } from '../context/context.ts'
import { EngineError, type EngineVoice, type SpeechEngine } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import type { Language } from '../engines/espeak/detect-language.ts'
import { speakText } from '../voice/speak-text.ts'
import { openTrialEngines } from '../voice/trials/trial-engines.ts'
import { SENTENCES } from '../voice/trials/voice-sample.ts'
import { type DescribedModel, engineOf, voicesOf } from './model-endpoint.ts'
import type { KnownVoice } from './model-index.ts'

const SEED = 1

export interface Heard {
  readonly language: Language
  readonly voice: string
  readonly audioMs: number
  readonly tookMs: number
}

interface Tried {
  readonly voices: readonly KnownVoice[]
  readonly heard: readonly Heard[] | null
  readonly warnings: readonly string[]
}

/**
 * Loads a model and has it speak a sentence in each of its languages. Where the library is not installed, it only looks for the files.
 * @param model with an absolute directory
 * @throws EngineError if a file is missing, or the model cannot be loaded
 */
export async function tryModel(ctx: Context, model: DescribedModel, signal: AbortSignal): Promise<Tried> {
  const engines = await openTrialEngines(ctx)
  try {
    const missing = await missingLibrary(engines, model)
    if (missing !== null) return { voices: model.voices ?? [], heard: null, warnings: [missing] }
    return await engines.use(engineOf(model), async (engine) => {
      const voices = await voicesOf(model, engine, signal)
      // A model that speaks like a recording is at least loaded.
      await engine.voices(signal)
      const [heard, warnings] = [[] as Heard[], [] as string[]]
      for (const language of model.languages.length > 0 ? model.languages : (['English'] as const))
        await hear(engine, { model, voices, language, signal }).then(
          (one) => heard.push(...one),
          (error) => warnings.push(unheard(language, error)),
        )
      return { voices, heard, warnings }
    })
  } finally {
    await engines.close()
  }
}

/** Files are looked for first, so what else is wrong is the library. */
async function missingLibrary(engines: Engines, model: DescribedModel): Promise<string | null> {
  const { findModelFiles } = await import('../engines/sherpa/sherpa.ts')
  await findModelFiles({ family: model.family, model_dir: model.directory, files: {} }, model.directory)
  try {
    await engines.probe(engineOf(model))
    return null
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return `The model was not tried: ${error.message.replace(/\.$/, '')}.`
  }
}

/** A model that cannot say one sentence may say others. */
function unheard(language: Language, error: unknown): string {
  if (error instanceof EngineError && error.code === 'RENDER_FAILED')
    return `The model could not say a sentence in ${language}: ${error.message}`
  throw error
}

interface Saying {
  readonly model: DescribedModel
  readonly voices: readonly KnownVoice[]
  readonly language: Language
  readonly signal: AbortSignal
}

async function hear(engine: SpeechEngine, { model, voices, language, signal }: Saying): Promise<Heard[]> {
  const chosen =
    voices.find((voice) => voice.language === language) ?? voices.find((voice) => voice.language === undefined)
  if (chosen === undefined) return []
  const started = performance.now()
  const voice = await engineVoice(chosen, model.directory)
  const request = { text: SENTENCES[language], language, voice, extra: {}, seed: SEED, signal, deadline: started }
  const { durationMs } = await speakText(engine, request)
  return [{ language, voice: chosen.slug, audioMs: durationMs, tookMs: Math.round(performance.now() - started) }]
}

async function engineVoice(
  { slug, speaker, recording, recording_text: said }: KnownVoice,
  directory: string,
): Promise<EngineVoice> {
  if (recording === undefined)
    return { slug, kind: 'preset', engineVoice: String(speaker), referenceAudio: null, referenceText: null }
  const referenceAudio = await recordingOf(join(directory, recording))
  return { slug, kind: 'reference', engineVoice: null, referenceAudio, referenceText: said ?? null }
}

/** Engines take recordings of 16 bits and one channel. @throws an error with the file system's code */
export async function recordingOf(path: string): Promise<Uint8Array> {
  const { samples, sampleRate } = await readRecording(await readFile(path))
  return writeWav(samples, sampleRate)
}
