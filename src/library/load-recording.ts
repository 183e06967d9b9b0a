import type { Parts } from '../context/context.ts'
import type { EngineVoice } from '../engines/engine.ts'
import { storageKeyOf } from './account-voice.ts'
import { findVoice } from './account-voices.ts'

/** null if there is no such voice. @throws the store's error */
export async function loadRecording(
  { db, storage }: Pick<Parts, 'db' | 'storage'>,
  accountId: string,
  voiceId: string,
): Promise<EngineVoice | null> {
  const voice = await findVoice(db, accountId, voiceId)
  if (voice === null) return null
  const key = storageKeyOf(voiceId)
  const file = await storage.read(key).catch(async (error: unknown) => {
    if ((await storage.stat(key)) === null) return null
    throw error
  })
  if (file === null) return null
  return {
    slug: voiceId,
    kind: 'reference',
    engineVoice: null,
    referenceAudio: Buffer.concat(await file.toArray()),
    referenceText: voice.transcript?.normalize('NFC') ?? null,
    language: voice.language,
  }
}
