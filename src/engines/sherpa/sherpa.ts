import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { readWav } from '../../audio/plain-wav.ts'
import {
  BadAudio,
  EngineError,
  type EngineVoice,
  FailedAttempt,
  NothingToSay,
  paceOf,
  type Speech,
  type SpeechEngine,
  type SpeechRequest,
  UnfitVoice,
} from '../engine.ts'
import { modelKey, type SherpaBlock } from '../engine-block.ts'
import { detectLanguage, LANGUAGE_CODES } from '../espeak/detect-language.ts'
import { ownLanguage } from '../espeak/espeak-voice.ts'
import { withRetries } from '../retry.ts'
import { ModelMemory, usualBound } from './model-memory.ts'
import { FAMILIES, type ModelFile, rulesOf } from './sherpa-families.ts'
import { type ModelSource, type ModelState, SherpaModel, type Spoken } from './sherpa-model.ts'
import type { SherpaProcess } from './sherpa-process.ts'

const FULL_SCALE = 32_767
const RETRY_BUDGET_MS = 60_000
const MOST_TIMES = 30
const MIN_LIMIT_MS = 60_000
const NO_AUDIO = /produced no audio|no audio/i
const CODES: Readonly<Record<string, string>> = LANGUAGE_CODES
const KOKORO_OWN: ReadonlySet<string | undefined> = new Set(['zh', 'en', undefined])
const MINUTE_MS = 60_000
const DEFAULT_IDLE_MINUTES = 10
const MOST_NAMED = 5

interface ModelFiles {
  readonly model: Readonly<Record<string, string>>
  readonly rules: Readonly<Record<string, string>>
}

/** @throws FailedAttempt if a file is missing */
async function sourceOf(block: SherpaBlock, modelsDir: string): Promise<ModelSource> {
  const { model, rules } = await findModelFiles(block, modelsDir)
  const config = {
    model: { [block.family]: model, numThreads: block.threads, provider: 'cpu', debug: false },
    maxNumSentences: 1,
    ...rules,
  }
  const files = Object.values(model).flatMap((paths) => paths.split(','))
  const sizes = await Promise.all(files.map(sizeOf))
  return { config, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The library says what is wrong with a file. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** A text that ends its process is tried twice more in new ones. */
function openSherpa(block: SherpaBlock, model: SherpaModel): SpeechEngine {
  const { clones, hasPace } = FAMILIES[block.family]
  const idleMs = (block.idle_minutes ?? DEFAULT_IDLE_MINUTES) * MINUTE_MS
  const once: SpeechEngine = {
    slots: block.slots,
    deterministic: false,
    voices: async (signal) => {
      const speakers = await model.speakers({ signal, idleMs })
      return clones ? null : Array.from({ length: speakers }, (_, number) => String(number))
    },
    speak: async ({ text, speed, expectedSeconds = 0, ...request }) => {
      const options = optionsOf(block, { text, ...(speed !== undefined && { speed }), ...request })
      const limitMs = MIN_LIMIT_MS + Math.ceil(expectedSeconds * MOST_TIMES * 1000)
      const speak = { text, options, pace: hasPace ? 1 : paceOf(speed) }
      const speaker = clones ? null : (request.voice.engineVoice ?? '')
      const spoken = await model.speak({ ...request, speak, speaker, limitMs, idleMs })
      if ('failed' in spoken) throw refusalOf(spoken.failed)
      return toSpeech(spoken)
    },
  }
  return withRetries(once, { retryBudgetMs: RETRY_BUDGET_MS })
}

function optionsOf(block: SherpaBlock, request: SpeechRequest): Record<string, unknown> {
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
      ...(clones && recordingOf(voice)),
      extra: extraOf(block, request),
    },
  }
}

function recordingOf({ referenceAudio, referenceText }: EngineVoice) {
  if (referenceAudio === null) throw new UnfitVoice('This model speaks like a recording; the voice has none.')
  const recording = readWav(referenceAudio)
  if (recording === null) throw new UnfitVoice("The voice's recording is no WAV file.")
  const { samples, sampleRate } = recording
  return {
    referenceAudio: Float32Array.from(samples, (sample) => sample / (FULL_SCALE + 1)),
    referenceSampleRate: sampleRate,
    referenceText: referenceText ?? '',
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
  const whole = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE))
  return { audio: { sampleRate, channels: 1, samples: whole } }
}

export class SherpaModels {
  readonly #modelsDir: string
  readonly #memory: ModelMemory<SherpaProcess>
  readonly #models = new Map<string, SherpaModel>()

  /**
   * @param modelsDir base of relative paths
   * @param memoryBytes what the processes of all models may hold together
   */
  constructor(modelsDir: string, memoryBytes = usualBound()) {
    this.#modelsDir = modelsDir
    this.#memory = new ModelMemory(memoryBytes)
  }

  use<T>(block: SherpaBlock, work: (engine: SpeechEngine) => Promise<T>): Promise<T> {
    return work(openSherpa(block, this.#modelOf(block)))
  }

  /** @throws FailedAttempt if a file is missing; EngineError INTERNAL_ERROR if it cannot fit into memory */
  probe(block: SherpaBlock): Promise<void> {
    return this.#modelOf(block).probe()
  }

  stateOf(block: SherpaBlock): ModelState {
    return this.#modelOf(block).state
  }

  close(): void {
    this.#memory.close()
  }

  #modelOf(block: SherpaBlock): SherpaModel {
    const key = modelKey(block)
    const model =
      this.#models.get(key) ?? new SherpaModel(() => sourceOf(block, this.#modelsDir), block.slots, this.#memory)
    this.#models.set(key, model)
    return model
  }
}

/** @param modelsDir base of relative paths @throws FailedAttempt naming all missing or ambiguous files */
export async function findModelFiles(
  { family, model_dir: directory, files }: Pick<SherpaBlock, 'family' | 'model_dir' | 'files'>,
  modelsDir: string,
): Promise<ModelFiles> {
  const folder = isAbsolute(directory) ? directory : join(modelsDir, directory)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new FailedAttempt(`model_dir ${folder} cannot be read where this worker runs (${error.code}).`)
  })
  const violations: string[] = []
  const find = async (rules: readonly ModelFile[]) => {
    const found = await Promise.all(
      rules.map(async (rule) => {
        const given = files[rule.name]
        const paths = given === undefined ? pick(rule, names, violations) : given.split(',')
        const whole = paths.map((path) => (isAbsolute(path) ? path : join(folder, path)))
        if (given !== undefined) violations.push(...(await missing(rule.name, whole)))
        return whole.length === 0 ? [] : [[camelCase(rule.name), whole.join(',')] as const]
      }),
    )
    return Object.fromEntries(found.flat())
  }
  const [model, rules] = [await find(FAMILIES[family].files), await find(rulesOf(family))]
  if (violations.length > 0)
    throw new FailedAttempt(`The model in ${folder} cannot be loaded: ${violations.join('; ')}.`)
  return { model, rules }
}

function pick(rule: ModelFile, names: readonly string[], violations: string[]): string[] {
  const { name, pattern, but, first = [], isOptional = false, isList = false, isNamedOnly = false } = rule
  if (isNamedOnly) return []
  const found = names
    .filter((candidate) => pattern.test(candidate) && but?.test(candidate) !== true)
    .sort()
    .sort((a, b) => rankIn(first, a) - rankIn(first, b))
  if (found.length === 0 && !isOptional) violations.push(`there is no file for ${name} (files.${name} may name one)`)
  if (found.length <= 1 || isList) return found
  violations.push(`files.${name} must name one of ${found.slice(0, MOST_NAMED).join(', ')}`)
  return []
}

function rankIn(kinds: readonly RegExp[], name: string): number {
  const at = kinds.findIndex((kind) => kind.test(name))
  return at < 0 ? kinds.length : at
}

async function missing(name: string, paths: readonly string[]): Promise<string[]> {
  const absent = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        () => [],
        () => [path],
      ),
    ),
  )
  return absent.flat().map((path) => `files.${name} names ${path}, which is not there`)
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
