import { ownerOf } from '../access/actor.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context, Parts } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { checkRecording } from '../engines/check-voice.ts'
import type { EngineVoice } from '../engines/engine.ts'
import { type AccountVoice, findVoices, loadRecording, voicesOf } from '../library/account-voices.ts'
import { isId } from '../values/id.ts'

export const namesLibraryVoice = ({ libraryVoices }: VoiceEndpoint, value: unknown): value is string =>
  libraryVoices === true && typeof value === 'string' && isId('voice', value)

/** Voices of the account by their ids. Other values and other accounts' voices have none. */
export async function findLibraryVoices(
  db: Database,
  accountId: string,
  endpoint: VoiceEndpoint,
  values: readonly unknown[],
): Promise<ReadonlyMap<unknown, Voice>> {
  const ids = values.filter((value) => namesLibraryVoice(endpoint, value))
  return new Map((await findVoices(db, accountId, ids)).map((found) => [found.id, asVoice(found)]))
}

/** null for other values and other accounts' voices. */
export async function findLibraryVoice(
  db: Database,
  accountId: string,
  endpoint: VoiceEndpoint,
  value: unknown,
): Promise<Voice | null> {
  return (await findLibraryVoices(db, accountId, endpoint, [value])).get(value) ?? null
}

/** Why the endpoint's engine cannot use this voice, or null. */
export const wrongRecording = ({ engine }: VoiceEndpoint, voice: Voice): string | null =>
  checkRecording(engine, voice.referenceText)

/** Those of the account's voices that the endpoint can speak like. */
export const usableVoices = (endpoint: VoiceEndpoint, voices: readonly Voice[]): Voice[] =>
  endpoint.libraryVoices === true ? voices.filter((voice) => wrongRecording(endpoint, voice) === null) : []

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
