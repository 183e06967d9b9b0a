import type { Loudness } from './loudness.ts'

/** A voice as an engine sees it. `preset` voices name one of the engine's own; `reference` ones bring a recording. */
export interface EngineVoice {
  readonly slug: string
  readonly kind: 'preset' | 'reference'
  readonly engineVoice: string | null
  readonly referenceAudio: Uint8Array | null
  readonly referenceText: string | null
  /** One of `LANGUAGES`: the one that it was made for, as far as its file or its owner says. */
  readonly language?: string | null
}

/** Factors of a voice's own pace that every engine which has a speed can do. */
export const SLOWEST_PACE = 0.25
export const FASTEST_PACE = 4

/** The pace that a speed leads to, whatever was asked for. Pure. */
export const paceOf = (speed = 1): number => Math.min(FASTEST_PACE, Math.max(SLOWEST_PACE, speed))

/** What to say and how. The named inputs mean the same to every engine. */
export interface SpeechRequest {
  readonly text: string
  readonly voice: EngineVoice
  /** One of `LANGUAGES`, or `auto`; absent means `auto`. */
  readonly language?: string
  readonly styleInstruction?: string
  /** 1 is the voice's own pace, 2 twice as fast. */
  readonly speed?: number
  readonly seed?: number
  /** `as_is`: as loud as the engine speaks; absent: as loud as all other voices. */
  readonly loudness?: 'as_is'
  /** How long the text should take to speak, in seconds: engines that generate bound their output by it. */
  readonly expectedSeconds?: number
  /** When the answer is of no use any more, in milliseconds of `performance.now()`: nothing is tried again after it. */
  readonly deadline?: number
  /** Inputs that the contract gives no meaning: passed to the engine as they are. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Looks at the speech before it is given away, so that audio which cannot be of this text counts as the engine's. @throws BadAudio */
  readonly judge?: (speech: Speech) => void
  /** Aborted when the job is cancelled or out of time: the engine stops working at once. */
  readonly signal: AbortSignal
}

/** Where a word begins to be heard, by the engine's own clock. */
export interface WordMark {
  /** Of its first character in the text that was asked for, in UTF-16 units. */
  readonly offset: number
  /** Of the rendering. */
  readonly sample: number
}

/** How many kanji of a text were passed over because no dictionary has a reading for them, and how much is read next to them. */
export interface KanjiCount {
  /** Letters and digits of any script. */
  readonly read: number
  readonly unread: number
}

/** One rendering: a complete WAV file, PCM 16-bit mono, if the engine did what it should. */
export interface Speech {
  readonly wav: Uint8Array
  /** Given where the speech is to be brought to a loudness: the parts of a text by one factor. */
  readonly loudness?: Loudness
  /** Given by engines that know when they say what; not every word has one, and they may come in any order. */
  readonly words?: readonly WordMark[]
  /** Where they are not from the engine's own clock: a model that has listened to the speech. */
  readonly wordsFrom?: 'aligner'
  /** Given by engines that read kanji by a dictionary. */
  readonly kanji?: KanjiCount
  /** The engine says itself that it stopped before the text ended. */
  readonly truncated?: boolean
}

/** INTERNAL_ERROR is the operator's violation: a missing API key, a wrong address. */
export type EngineErrorCode = 'PROVIDER_BUSY' | 'PROVIDER_UNAVAILABLE' | 'RENDER_FAILED' | 'INTERNAL_ERROR'

/** An engine's error, already mapped to the failure codes of jobs. The message is for the operator only. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  /** How long the server asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(code: EngineErrorCode, message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options)
    this.code = code
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The engine answered with something that is not the speech of this text: with another seed it may well be. */
export class BadAudio extends EngineError {
  constructor(message: string, options?: ErrorOptions) {
    super('RENDER_FAILED', message, options)
  }
}

/** Nothing in the text gives a sound in this language: in the middle of a longer text it is a pause. */
export class NothingToSay extends EngineError {
  readonly kanji: KanjiCount | undefined

  constructor(message: string, kanji?: KanjiCount) {
    super('RENDER_FAILED', message)
    this.kanji = kanji
  }
}

/** The server lives and could not do what it was asked for, without blaming the inputs: the next try may work. */
export class FailedAttempt extends EngineError {
  constructor(message: string, options?: ErrorOptions & { readonly retryAfterMs?: number }) {
    super('PROVIDER_UNAVAILABLE', message, options)
  }
}

/** Turns text into speech. */
export interface SpeechEngine {
  /** How many texts it speaks at once; more of them wait. */
  readonly slots: number
  /** The same request always gives the same bytes, whatever the seed: trying again with another one is of no use. */
  readonly deterministic: boolean
  /** The names of the voices that it offers; null where it cannot tell. @throws EngineError */
  voices(signal: AbortSignal): Promise<readonly string[] | null>
  /** @throws EngineError; or the signal's reason when aborted. */
  speak(request: SpeechRequest): Promise<Speech>
  close(): Promise<void>
}
