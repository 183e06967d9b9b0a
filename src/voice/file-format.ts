import { FILE_FORMATS, type FileFormat } from '../audio/format.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { JobOptions } from '../jobs/job-options.ts'
import { pointerToken } from '../values/json-pointer.ts'

type Inputs = Readonly<Record<string, unknown>>

/** Stored format of a job: the submission's option or input, else the endpoint's, else WAV. */
export function fileFormat({ audio }: VoiceEndpoint, inputs: Inputs, { format }: JobOptions): FileFormat {
  const asked = format ?? chosenBy(audio?.format_input, inputs)
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
    ...(input === undefined ? [] : judged(`/inputs/${pointerToken(input)}`, chosenBy(input, inputs))),
  ]
}

const chosenBy = (input: string | undefined, inputs: Inputs): unknown =>
  input === undefined ? undefined : inputs[input]
