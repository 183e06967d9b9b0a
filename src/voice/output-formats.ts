import { CAPTION_FORMATS, type CaptionFormat, FILE_FORMATS, type FileFormat } from '../audio/format.ts'
import type { CaptionsBlock, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { JobOptions } from '../jobs/job-shape.ts'
import { pointerToken } from '../values/json.ts'

type Inputs = Readonly<Record<string, unknown>>

/** Stored format of a job: the submission's option or input, else the endpoint's, else WAV. */
export function fileFormat({ audio }: VoiceEndpoint, inputs: Inputs, { format }: JobOptions): FileFormat {
  const asked = format ?? formatChosenBy(audio?.format_input, inputs)
  return FILE_FORMATS.find((known) => known === asked) ?? audio?.formats[0] ?? 'wav'
}

/** Returns the violations of formats that the endpoint does not list. */
export function wrongFormat(
  { audio }: VoiceEndpoint,
  inputs: Inputs,
  options: JobOptions | null | undefined,
): { readonly path: string; readonly message: string | null }[] {
  const formats: readonly unknown[] = audio?.formats ?? FILE_FORMATS
  const message = `must be one of ${formats.join(', ')}`
  const judged = (path: string, format: unknown) =>
    format === undefined || formats.includes(format) ? [] : [{ path, message }]
  const input = audio?.format_input
  return [
    ...judged('/audioFormat', options?.format),
    ...(input === undefined ? [] : judged(`/inputs/${pointerToken(input)}`, formatChosenBy(input, inputs))),
  ]
}

const formatChosenBy = (input: string | undefined, inputs: Inputs): unknown =>
  input === undefined ? undefined : inputs[input]

/** Caption formats of a job: the submission's option, else the choice of its endpoint. */
export function captionFormats(
  { captions }: VoiceEndpoint,
  inputs: Inputs,
  options: Pick<JobOptions, 'captions'>,
): CaptionFormat[] {
  const asked = options.captions ?? (captions && captionsChosenBy(captions, inputs)) ?? []
  const allowed: readonly CaptionFormat[] = captions?.formats ?? CAPTION_FORMATS
  return allowed.filter((format) => asked.includes(format))
}

/** Returns the violations of caption formats that the endpoint does not list. */
export function wrongCaptions(
  { captions }: VoiceEndpoint,
  inputs: Inputs,
  options: JobOptions | null | undefined,
): { readonly path: string; readonly message: string | null }[] {
  const formats: readonly unknown[] = captions?.formats ?? CAPTION_FORMATS
  const message = `must be among ${formats.join(', ')}`
  const judged = (path: string, asked: readonly unknown[]) =>
    asked.every((format) => formats.includes(format)) ? [] : [{ path, message }]
  const input = captions?.captions_input
  return [
    ...judged('/captions', options?.captions ?? []),
    ...(input === undefined ? [] : judged(`/inputs/${pointerToken(input)}`, captionsChosenBy(captions!, inputs))),
  ]
}

/** The input holds a format, a list, true for all or false for none. An endpoint without that input makes all. */
function captionsChosenBy({ formats, captions_input: input }: CaptionsBlock, inputs: Inputs): readonly unknown[] {
  const value = input === undefined ? true : inputs[input]
  if (value === true) return formats
  if (value === undefined || value === null || value === false) return []
  return Array.isArray(value) ? value : [value]
}
