import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Parts } from '../../context/context.ts'
import type { EngineVoice } from '../../engines/engine.ts'
import { loadRecording } from '../../library/load-recording.ts'
import { namesLibraryVoice } from '../library-voices.ts'

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
