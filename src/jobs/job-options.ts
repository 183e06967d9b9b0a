import type { CaptionFormat } from '../audio/caption-format.ts'
import type { AudioFormat } from '../audio/format.ts'

/** Options of a voice job. Callers never see them; the Idempotency-Key covers them. */
export interface JobOptions {
  readonly format?: AudioFormat
  readonly captions?: readonly CaptionFormat[]
  /** 1 is the voice's own pace; an input `speed` takes precedence. */
  readonly speed?: number
  readonly seed?: number
  readonly markup?: 'pauses' | 'ssml'
  readonly live?: true
}

/** Null if no option is present. */
export function storedOptions(
  options: { readonly [Name in keyof JobOptions]?: JobOptions[Name] | undefined | null },
): JobOptions | null {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0 ? null : (Object.fromEntries(given) as JobOptions)
}
