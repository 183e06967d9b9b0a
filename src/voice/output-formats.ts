import { CAPTION_FORMATS, type CaptionFormat, FILE_FORMATS, type FileFormat, USUAL_FORMATS } from '../audio/format.ts'
import type { CaptionsBlock, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Detail } from '../errors/service-error.ts'
import type { JobOptions } from '../jobs/job-shape.ts'
import { pointerToken } from '../values/json.ts'

type Inputs = Readonly<Record<string, unknown>>

/** Stored format of a job: the submission's option or input, else the endpoint's, else WAV. */
export function fileFormat({ audio }: VoiceEndpoint, inputs: Inputs, { format }: JobOptions): FileFormat {
  const asked = format ?? formatChosenBy(audio?.format_input, inputs)
  return FILE_FORMATS.find((known) => known === asked) ?? audio?.formats[0] ?? 'wav'
}

/** Returns the violations of audio and caption formats that the endpoint does not list. */
export function wrongFormats(
  { audio, captions }: VoiceEndpoint,
  inputs: Inputs,
  options: JobOptions | null | undefined,
): Detail[] {
  const format = { allowed: audio?.formats ?? USUAL_FORMATS, rule: 'one of', input: audio?.format_input }
  const caption = { allowed: captions?.formats ?? CAPTION_FORMATS, rule: 'among', input: captions?.captions_input }
  const one = (value: unknown) => (value === undefined ? [] : [value])
  return [
    ...violationsOf(format, '/audioFormat', one(options?.format), one(formatChosenBy(format.input, inputs))),
    ...violationsOf(caption, '/captions', options?.captions ?? [], captions ? captionsChosenBy(captions, inputs) : []),
  ]
}

interface Listed {
  readonly allowed: readonly unknown[]
  readonly rule: string
  readonly input: string | undefined
}

function violationsOf(
  { allowed, rule, input }: Listed,
  option: string,
  given: readonly unknown[],
  chosen: readonly unknown[],
): Detail[] {
  const isWrong = (asked: readonly unknown[]) => !asked.every((one) => allowed.includes(one))
  const message = `must be ${rule} ${allowed.join(', ')}`
  return [
    ...(isWrong(given) ? [{ path: option, message }] : []),
    ...(input !== undefined && isWrong(chosen) ? [{ path: `/inputs/${pointerToken(input)}`, message }] : []),
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

/** The input holds a format, a list, true for all or false for none. An endpoint without that input makes all. */
function captionsChosenBy({ formats, captions_input: input }: CaptionsBlock, inputs: Inputs): readonly unknown[] {
  const value = input === undefined ? true : inputs[input]
  if (value === true) return formats
  if (value === undefined || value === null || value === false) return []
  return Array.isArray(value) ? value : [value]
}
