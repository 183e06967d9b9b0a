import { anyText, integer } from './settings-fields.ts'

export interface OpenaiSettings {
  /** A slug or an alias; null: `tts`. */
  readonly model: string | null
  /** Until the first audio, time in the queue included. */
  readonly waitSeconds: number
}

export const openaiFields = {
  OPENAI_MODEL: anyText
    .optional()
    .describe("The endpoint that OpenAI's own names of models stand for at `/v1`; `tts` unless set."),
  OPENAI_WAIT_SECONDS: integer(1, 3600, 120).describe('How long a request at `/v1` waits for its first sound.'),
}

interface Values {
  readonly OPENAI_MODEL?: string | undefined
  readonly OPENAI_WAIT_SECONDS: number
}

export const openaiSettings = (values: Values): OpenaiSettings => ({
  model: values.OPENAI_MODEL ?? null,
  waitSeconds: values.OPENAI_WAIT_SECONDS,
})
