import { anyText, integer } from './settings-fields.ts'

/** The door for clients of OpenAI's API. */
export interface OpenaiSettings {
  /** What its own model names stand for: a slug or an alias; null: `tts`. */
  readonly model: string | null
  /** How long a request waits for its first audio, its time in the queue included. */
  readonly waitSeconds: number
}

/** The variables that set it. */
export const openaiFields = {
  OPENAI_MODEL: anyText.optional(),
  OPENAI_WAIT_SECONDS: integer(1, 3600, 120),
}

interface Values {
  readonly OPENAI_MODEL?: string | undefined
  readonly OPENAI_WAIT_SECONDS: number
}

/** What they say. */
export const openaiSettings = (values: Values): OpenaiSettings => ({
  model: values.OPENAI_MODEL ?? null,
  waitSeconds: values.OPENAI_WAIT_SECONDS,
})
