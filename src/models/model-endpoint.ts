import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { usualInputs } from '../catalog/files/usual-inputs.ts'
import type { SpeechEngine } from '../engines/engine.ts'
import { LANGUAGES, type Language } from '../engines/espeak/detect-language.ts'
import { findModelFiles } from '../engines/sherpa/sherpa.ts'
import { FAMILIES, SHERPA_FAMILIES, type SherpaFamily } from '../engines/sherpa/sherpa-families.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { directoryOf, type KnownModel, type KnownVoice } from './model-index.ts'

const TIME_LIMIT_SECONDS = 1800
const SPEEDS = [0.5, 2] as const
const MAX_SLUG = 63
/** Families whose files others have, too, come last. */
const BY_NAME: readonly SherpaFamily[] = ['kokoro', 'kitten', 'matcha', 'zipvoice', 'pocket', 'supertonic', 'vits']

/** Weights of PyTorch, llama.cpp, TensorFlow, Core ML and TensorRT. */
const OTHER_RUNTIMES = /\.(safetensors|pth?|ckpt|gguf|ggml|h5|tflite|mlmodelc?|mlpackage|engine|rknn)$/i

/** A model as its endpoint needs it. */
export interface DescribedModel {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly directory: string
  readonly family: SherpaFamily
  readonly languages: readonly Language[]
  /** Null: as many as the model has, by their numbers. */
  readonly voices: readonly KnownVoice[] | null
}

export const asDescribed = (model: KnownModel): DescribedModel => ({ ...model, directory: directoryOf(model) })

/**
 * Describes a model that the index does not know by its files.
 * @throws INVALID_REQUEST if they are of no family
 */
export async function describeFiles(folder: string, directory: string): Promise<DescribedModel> {
  const name = slugOf(directory)
  const family = await familyOf(folder, directory)
  const languages = family === 'vits' ? await piperLanguages(folder) : []
  const description = `${directory}, on the worker's own processor.`
  return {
    name,
    title: directory,
    description,
    directory,
    family,
    languages,
    voices: FAMILIES[family].clones ? [] : null,
  }
}

export const slugOf = (directory: string): string =>
  directory
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[_-]+/, '')
    .slice(0, MAX_SLUG)

async function familyOf(folder: string, directory: string): Promise<SherpaFamily> {
  const named = BY_NAME.filter((family) => directory.toLowerCase().includes(family))
  for (const family of [...named, ...BY_NAME.filter((other) => !named.includes(other))]) {
    const found = await findModelFiles({ family, model_dir: folder, files: {} }, folder).then(
      () => true,
      () => false,
    )
    if (found) return family
  }
  const foreign = (await readdir(folder)).find((name) => OTHER_RUNTIMES.test(name))
  const reason =
    foreign === undefined
      ? `its files are of none of ${SHERPA_FAMILIES.join(', ')}`
      : `it has ${foreign}, which is for another runtime`
  throw invalidRequest(`"${directory}" holds no model that sherpa-onnx speaks with: ${reason}.`)
}

/** Piper's models come with a description in JSON. */
async function piperLanguages(folder: string): Promise<Language[]> {
  const file = (await readdir(folder)).find((name) => name.endsWith('.onnx.json'))
  if (file === undefined) return []
  try {
    const { language } = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
      language?: { name_english?: string }
    }
    return LANGUAGES.filter((known) => known === language?.name_english)
  } catch {
    return []
  }
}

/** @param directory absolute while the model is not in its place yet */
export const engineOf = ({ family, directory }: DescribedModel) => ({
  kind: 'sherpa-onnx',
  family,
  model_dir: directory,
})

export const voicesOf = async (
  { voices, family }: DescribedModel,
  engine: SpeechEngine,
  signal: AbortSignal,
): Promise<readonly KnownVoice[]> =>
  voices ??
  (FAMILIES[family].clones ? [] : ((await engine.voices(signal)) ?? [])).map((speaker) => ({
    slug: `speaker-${speaker}`,
    name: `Speaker ${speaker}`,
    description: '',
    speaker: Number(speaker),
  }))

/** Writes the endpoint in the form that `endpoints apply` reads. */
export function endpointSource(model: DescribedModel, voices: readonly KnownVoice[]): string {
  const { name, title, description, family, languages } = model
  const endpoint = {
    ...{ slug: name, name: title, description, published: true },
    inputs: usualInputs({ languages, speed: SPEEDS }),
    engine: engineOf(model),
    time_limit_seconds: TIME_LIMIT_SECONDS,
    voices: voices.map((one) => asVoice(one, languages)),
    ...(FAMILIES[family].clones && { library_voices: true }),
  }
  return stringify({ endpoints: [endpoint] })
}

function asVoice(
  { slug, name, description, speaker, recording, recording_text: said, language }: KnownVoice,
  languages: readonly Language[],
) {
  const own = language ?? (languages.length === 1 ? languages[0] : undefined)
  return {
    ...{ slug, name, description },
    ...(recording === undefined
      ? { kind: 'preset', engine_voice: String(speaker) }
      : { kind: 'reference', reference_audio: recording, ...(said !== undefined && { reference_text: said }) }),
    ...(own !== undefined && { language: own }),
  }
}
