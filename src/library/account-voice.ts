import type { Recordings } from '../audio/recordings.ts'
import type { Context } from '../context/context.ts'
import { unknownId } from '../errors/service-error.ts'

export const MAX_VOICES = 100

export interface LibraryContext extends Context {
  readonly recordings: Recordings
}

export interface AccountVoice {
  readonly id: string
  readonly name: string
  readonly durationMs: number
  readonly transcript: string | null
  readonly language: string | null
  readonly createdAt: Date
}

export const VOICE_VIEW = {
  id: true,
  name: true,
  durationMs: true,
  transcript: true,
  language: true,
  createdAt: true,
} as const

/** The same for malformed, unknown and foreign ids. */
export const voiceNotFound = () => unknownId('voice')

const FOLDER = 'voices/'

export const storageKeyOf = (voiceId: string): string => `${FOLDER}${voiceId}.wav`

export const isVoiceKey = (storageKey: string): boolean => storageKey.startsWith(FOLDER)
