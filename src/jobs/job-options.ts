import type { CaptionFormat } from '../audio/caption-format.ts'
import type { AudioFormat } from '../audio/format.ts'

/** How a voice job is to be done, besides its inputs: never shown, and part of what an Idempotency-Key stands for. */
export interface JobOptions {
  /** What its file is stored in; absent: what its endpoint says. `pcm` is no file, and refused. */
  readonly format?: AudioFormat
  /** Which captions of it are among its outputs; absent: what its endpoint says. */
  readonly captions?: readonly CaptionFormat[]
  /** 1 is the voice's own pace; an input of that name comes first. */
  readonly speed?: number
  readonly seed?: number
  /** What stands in its text besides what is spoken, as its endpoint had it when it was submitted. */
  readonly markup?: 'pauses' | 'ssml'
  /** Its speech is listened to while it is being spoken. */
  readonly live?: true
}

/** Without what is absent; null where nothing is left. */
export function storedOptions(
  options: { readonly [Name in keyof JobOptions]?: JobOptions[Name] | undefined | null },
): JobOptions | null {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0 ? null : (Object.fromEntries(given) as JobOptions)
}
