import { z } from 'zod'
import { CAPTION_FORMATS } from '../../audio/caption-format.ts'
import { FILE_FORMATS } from '../../audio/format.ts'
import { checkRecording } from '../../engines/check-voice.ts'
import { text } from './file-fields.ts'

const MAX_NAMES = 100

export const audioBlock = z.strictObject({
  formats: z
    .array(z.enum(FILE_FORMATS))
    .min(1, 'must list at least one format')
    .refine((formats) => new Set(formats).size === formats.length, 'must list each format once'),
  format_input: text.optional(),
})

export const captionsBlock = z.strictObject({
  formats: z
    .array(z.enum(CAPTION_FORMATS))
    .min(1, 'must list at least one format')
    .refine((formats) => new Set(formats).size === formats.length, 'must list each format once'),
  captions_input: text.optional(),
})

export const openaiBlock = z.strictObject({
  models: z.array(text).max(MAX_NAMES).optional(),
  voices: z.record(text, text).optional(),
})

interface Wrong {
  readonly path: string[]
  readonly message: string
}

interface Inputs {
  readonly inputs: Readonly<Record<string, unknown>>
}

export const wrongAudio = (spec: Inputs & { audio?: z.output<typeof audioBlock> | undefined }): Wrong | null =>
  wrongInput(spec, ['audio', 'format_input'], spec.audio?.format_input) ??
  wrongDefault(spec, spec.audio?.format_input, spec.audio?.formats ?? FILE_FORMATS)

export const wrongCaptions = (spec: Inputs & { captions?: z.output<typeof captionsBlock> | undefined }): Wrong | null =>
  wrongInput(spec, ['captions', 'captions_input'], spec.captions?.captions_input) ??
  wrongDefault(spec, spec.captions?.captions_input, [...(spec.captions?.formats ?? CAPTION_FORMATS), true, false, null])

function wrongInput({ inputs }: Inputs, path: string[], input: string | undefined): Wrong | null {
  if (input === undefined || Object.hasOwn((inputs.properties ?? {}) as object, input)) return null
  return { path, message: `needs inputs with the property "${input}"` }
}

function wrongDefault({ inputs }: Inputs, input: string | undefined, allowed: readonly unknown[]): Wrong | null {
  const properties = (inputs.properties ?? {}) as Record<string, { readonly default?: unknown } | boolean>
  const property = input === undefined ? undefined : properties[input]
  const value = typeof property === 'object' ? property.default : undefined
  if (value === undefined || [value].flat().every((one) => allowed.includes(one))) return null
  const message = `must be among ${allowed.filter((one) => typeof one === 'string').join(', ')}`
  return { path: ['inputs', 'properties', input ?? '', 'default'], message }
}

export function wrongOpenai(spec: {
  readonly openai?: z.output<typeof openaiBlock> | undefined
  readonly voices: readonly { readonly slug: string }[]
}): Wrong | null {
  const known = new Set(spec.voices.map(({ slug }) => slug))
  const wrong = Object.entries(spec.openai?.voices ?? {}).find(([, slug]) => !known.has(slug))
  return wrong === undefined ? null : { path: ['openai', 'voices', wrong[0]], message: `names no voice: ${wrong[1]}` }
}

export function wrongLibrary(spec: {
  readonly library_voices?: boolean | undefined
  readonly engine: Readonly<Record<string, unknown>>
}): Wrong | null {
  if (spec.library_voices !== true || checkRecording(spec.engine, 'said') === null) return null
  return { path: ['library_voices'], message: 'must be false: this engine cannot speak like a recording' }
}
