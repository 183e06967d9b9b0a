import { ownerOf } from '../access/actor.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context, Parts } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { checkRecording } from '../engines/check-voice.ts'
import type { EngineVoice } from '../engines/engine.ts'
import { type AccountVoice, findVoice, loadRecording, voicesOf } from '../library/account-voices.ts'
import { isId } from '../values/id.ts'

export const namesLibraryVoice = ({ libraryVoices }: VoiceEndpoint, value: unknown): value is string =>
  libraryVoices === true && typeof value === 'string' && isId('voice', value)

/** null for other values and other accounts' voices. */
export async function findLibraryVoice(
  db: Database,
  accountId: string,
  endpoint: VoiceEndpoint,
  value: unknown,
): Promise<Voice | null> {
  if (!namesLibraryVoice(endpoint, value)) return null
  const found = await findVoice(db, accountId, value)
  return found === null ? null : asVoice(found)
}

/** Why the endpoint's engine cannot use this voice, or null. */
export const wrongRecording = ({ engine }: VoiceEndpoint, voice: Voice): string | null =>
  checkRecording(engine, voice.referenceText)

export async function usableLibraryVoices(ctx: Context, endpoint: VoiceEndpoint): Promise<Voice[]> {
  if (endpoint.libraryVoices !== true) return []
  return (await libraryVoices(ctx)).filter((voice) => wrongRecording(endpoint, voice) === null)
}

export async function libraryVoices({ db, actor }: Context): Promise<Voice[]> {
  const accountId = ownerOf(actor)
  return accountId === undefined ? [] : (await voicesOf(db, accountId)).map(asVoice)
}

const asVoice = ({ id, name, transcript, language }: AccountVoice): Voice => ({
  slug: id,
  name,
  description: '',
  kind: 'reference',
  engineVoice: null,
  referenceText: transcript,
  language,
})

/**
 * A voice with its recording; null if neither endpoint nor account has it.
 * @throws the store's error
 */
export async function loadVoice(
  parts: Pick<Parts, 'catalog' | 'db' | 'storage'>,
  endpoint: VoiceEndpoint,
  slug: string,
  accountId: string | null,
): Promise<EngineVoice | null> {
  const voice = endpoint.voices.find((candidate) => candidate.slug === slug)
  if (voice === undefined && accountId !== null && namesLibraryVoice(endpoint, slug))
    return loadRecording(parts, accountId, slug)
  if (voice === undefined) return null
  if (voice.kind === 'preset') return { ...voice, referenceAudio: null }
  const referenceText = voice.referenceText?.normalize('NFC') ?? null
  return { ...voice, referenceText, referenceAudio: await parts.catalog.recordingOf(endpoint, slug) }
}
