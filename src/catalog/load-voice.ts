import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Database } from '../db/database.ts'
import type { EngineVoice } from '../engines/engine.ts'

/** A voice with its recording, which the catalog does not hold in memory; null where the endpoint has no such voice. */
export async function loadVoice(db: Database, endpoint: VoiceEndpoint, slug: string): Promise<EngineVoice | null> {
  const voice = endpoint.voices.find((candidate) => candidate.slug === slug)
  if (voice === undefined) return null
  if (voice.kind === 'preset') return { ...voice, referenceAudio: null }
  const row = await db.prisma.voice.findUnique({
    where: { endpointSlug_slug: { endpointSlug: endpoint.slug, slug } },
    select: { referenceAudio: true },
  })
  return { ...voice, referenceAudio: row?.referenceAudio ?? null }
}
