/** A voice as an engine sees it. `preset` voices name one of the engine's own; `reference` ones bring a recording. */
export interface EngineVoice {
  readonly slug: string
  readonly kind: 'preset' | 'reference'
  readonly engineVoice: string | null
  readonly referenceAudio: Uint8Array | null
  readonly referenceText: string | null
}

/** What to say and how. The named inputs mean the same to every engine (contract.md section 9). */
export interface SpeechRequest {
  readonly text: string
  readonly voice: EngineVoice
  /** One of the languages of spec 2.5, or `auto`; absent means `auto`. */
  readonly language?: string
  readonly styleInstruction?: string
  /** 1 is the voice's own pace, 2 twice as fast. */
  readonly speed?: number
  readonly seed?: number
  /** Inputs that the contract gives no meaning: passed to the engine as they are. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Aborted when the job is cancelled or out of time: the engine stops working at once. */
  readonly signal: AbortSignal
}

/** One rendering: a complete WAV file, PCM 16-bit mono. */
export interface Speech {
  readonly wav: Uint8Array
}

export type EngineErrorCode = 'PROVIDER_BUSY' | 'PROVIDER_UNAVAILABLE' | 'RENDER_FAILED'

/** An engine's refusal or failure, already told apart into the failure codes of spec 7.3. The message is for the operator only. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Turns text into speech. */
export interface SpeechEngine {
  /** @throws EngineError; or the signal's reason when aborted. */
  speak(request: SpeechRequest): Promise<Speech>
  close(): Promise<void>
}
