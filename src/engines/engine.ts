import type { Wav } from '../audio/wav.ts'
import type { Loudness } from './loudness.ts'

/** A `preset` voice is the engine's own; a `reference` voice brings a recording. */
export interface EngineVoice {
  readonly slug: string
  readonly kind: 'preset' | 'reference'
  readonly engineVoice: string | null
  readonly referenceAudio: Uint8Array | null
  readonly referenceText: string | null
  readonly language?: string | null
}

/** Concurrent requests at a speech server of which the endpoint says nothing. */
export const DEFAULT_IN_FLIGHT = 8

/** One spelling per server, because limits hold per address. */
export const serverAddress = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '')

interface StoredServer {
  readonly base_url?: unknown
  readonly max_in_flight?: unknown
  readonly api_key_sealed?: unknown
}

/** The servers of an engine block: the block itself, unless it lists several. */
export const serversOf = (block: Readonly<Record<string, unknown>>): readonly StoredServer[] =>
  Array.isArray(block.servers) ? block.servers : [block]

export const SLOWEST_PACE = 0.25
export const FASTEST_PACE = 4

export const paceOf = (speed = 1): number => Math.min(FASTEST_PACE, Math.max(SLOWEST_PACE, speed))

export interface SpeechRequest {
  readonly text: string
  readonly voice: EngineVoice
  /** One of `LANGUAGES` or `auto`, the default. */
  readonly language?: string
  readonly styleInstruction?: string
  /** 1 is the voice's own pace. */
  readonly speed?: number
  readonly seed?: number
  /** `as_is` keeps the engine's loudness; absent: all voices are equally loud. */
  readonly loudness?: 'as_is'
  readonly expectedSeconds?: number
  /** In milliseconds of `performance.now()`. */
  readonly deadline?: number
  /** Inputs without a meaning of their own here; the engine gets them unchanged. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Rejects speech that cannot be of this text. @throws BadAudio */
  readonly judge?: (speech: Speech) => void
  /** The same request with a short text that every well server speaks. */
  readonly probe?: () => SpeechRequest
  /** Account whose caller waits for the speech; absent: nobody does. */
  readonly awaitedBy?: string
  /** Called as the engine begins and ends to load the voice's model, which the speech waits for. */
  readonly onLoading?: (isLoading: boolean) => void
  readonly signal: AbortSignal
}

export interface WordMark {
  /** In the request's text, in UTF-16 units. */
  readonly offset: number
  readonly sample: number
}

export interface KanjiCount {
  /** Letters and digits of any script. */
  readonly read: number
  readonly unread: number
}

export interface Speech {
  readonly audio: Wav
  /** Present if the speech is still to be brought to a loudness. */
  readonly loudness?: Loudness
  /** Some words may be missing, and they come in any order. */
  readonly words?: readonly WordMark[]
  /** `aligner`: a model listened to the speech; absent: the engine's own clock. */
  readonly wordsFrom?: 'aligner'
  readonly kanji?: KanjiCount
  readonly truncated?: boolean
}

/** INTERNAL_ERROR: the operator must mend a key or an address. */
export type EngineErrorCode = 'PROVIDER_BUSY' | 'PROVIDER_UNAVAILABLE' | 'RENDER_FAILED' | 'INTERNAL_ERROR'

/** Carries a job's failure code. The message is for the operator only. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  readonly retryAfterMs: number | undefined

  constructor(code: EngineErrorCode, message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options)
    this.code = code
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The audio is not speech of this text; another seed may help. */
export class BadAudio extends EngineError {
  constructor(message: string, options?: ErrorOptions) {
    super('RENDER_FAILED', message, options)
  }
}

/** Nothing sounds in this language; within a longer text it is a pause. */
export class NothingToSay extends EngineError {
  readonly kanji: KanjiCount | undefined

  constructor(message: string, kanji?: KanjiCount) {
    super('RENDER_FAILED', message)
    this.kanji = kanji
  }
}

/** A living server failed without blaming the inputs, so a retry may work. */
export class FailedAttempt extends EngineError {
  constructor(message: string, options?: ErrorOptions & { readonly retryAfterMs?: number }) {
    super('PROVIDER_UNAVAILABLE', message, options)
  }
}

/** The operator must mend this voice of the endpoint; the engine's others speak. */
export class UnfitVoice extends EngineError {
  constructor(message: string) {
    super('INTERNAL_ERROR', message)
  }
}

/** Turns text into speech. */
export interface SpeechEngine {
  /** Texts at once; more of them wait. */
  readonly slots: number
  /** The same request always gives the same bytes. */
  readonly deterministic: boolean
  /** Null: the engine cannot list its voices. @throws EngineError */
  voices(signal: AbortSignal): Promise<readonly string[] | null>
  /** @throws EngineError; the signal's reason */
  speak(request: SpeechRequest): Promise<Speech>
}
