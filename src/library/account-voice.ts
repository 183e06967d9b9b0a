import type { Recordings } from '../audio/recordings.ts'
import type { Context } from '../context/context.ts'
import { unknownId } from '../errors/service-error.ts'

/** How many voices an account may have. */
export const MAX_VOICES = 100

/** What uploading needs besides. */
export interface LibraryContext extends Context {
  readonly recordings: Recordings
}

/** A voice of an account's own, as the account sees it. */
export interface AccountVoice {
  readonly id: string
  readonly name: string
  /** In milliseconds, without the silence at its ends. */
  readonly durationMs: number
  /** What its recording says. */
  readonly transcript: string | null
  readonly language: string | null
  readonly createdAt: Date
}

/** As it is read: nothing of where its file is. */
export const VOICE_VIEW = {
  id: true,
  name: true,
  durationMs: true,
  transcript: true,
  language: true,
  createdAt: true,
} as const

/** The same for a malformed id, an unknown one and another account's. */
export const voiceNotFound = () => unknownId('voice')

const FOLDER = 'voices/'

/** Where its recording is kept. */
export const storageKeyOf = (voiceId: string): string => `${FOLDER}${voiceId}.wav`

/** Whether a file is a voice's recording: all others are artifacts of jobs. */
export const isVoiceKey = (storageKey: string): boolean => storageKey.startsWith(FOLDER)
