import { z } from 'zod'
import { FILE_FORMATS } from '../../audio/format.ts'
import { checkRecording } from '../../engines/check-voice.ts'
import { text } from './file-fields.ts'

const MAX_NAMES = 100

/** `audio`: in what formats speech is stored. */
export const audioBlock = z.strictObject({
  formats: z
    .array(z.enum(FILE_FORMATS))
    .min(1, 'must list at least one format')
    .refine((formats) => new Set(formats).size === formats.length, 'must list each format once'),
  format_input: text.optional(),
})

/** `openai`: what clients of OpenAI's API call the endpoint and its voices. */
export const openaiBlock = z.strictObject({
  models: z.array(text).max(MAX_NAMES).optional(),
  voices: z.record(text, text).optional(),
})

interface Wrong {
  readonly path: string[]
  readonly message: string
}

/** The input that chooses a format is one of the endpoint's own. */
export function wrongAudio(spec: {
  readonly audio?: z.output<typeof audioBlock> | undefined
  readonly inputs: Readonly<Record<string, unknown>>
}): Wrong | null {
  const input = spec.audio?.format_input
  if (input === undefined || Object.hasOwn((spec.inputs.properties ?? {}) as object, input)) return null
  return { path: ['audio', 'format_input'], message: `needs inputs with the property "${input}"` }
}

/** Other names stand for voices that are there. */
export function wrongOpenai(spec: {
  readonly openai?: z.output<typeof openaiBlock> | undefined
  readonly voices: readonly { readonly slug: string }[]
}): Wrong | null {
  const known = new Set(spec.voices.map(({ slug }) => slug))
  const wrong = Object.entries(spec.openai?.voices ?? {}).find(([, slug]) => !known.has(slug))
  return wrong === undefined ? null : { path: ['openai', 'voices', wrong[0]], message: `names no voice: ${wrong[1]}` }
}

/** Voices of accounts are recordings: not every engine speaks like one. */
export function wrongLibrary(spec: {
  readonly library_voices?: boolean | undefined
  readonly engine: Readonly<Record<string, unknown>>
}): Wrong | null {
  // Whether a recording comes with its text is known when it is used.
  if (spec.library_voices !== true || checkRecording(spec.engine, 'said') === null) return null
  return { path: ['library_voices'], message: 'must be false: this engine cannot speak like a recording' }
}
