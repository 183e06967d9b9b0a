import { LRUCache } from 'lru-cache'
import type { Catalog } from '../../context/catalog-snapshot.ts'
import type { Database } from '../../db/database.ts'

/** Of all voices together, those that spoke last: one that does not fit is read for each job. */
const MOST_BYTES = 32 * 1024 ** 2

/**
 * Recordings of the voices that endpoints have, read once and kept until their endpoint is applied again.
 * One that is read while an endpoint is applied may be the new one: it is kept under the time of the old one, which no job asks for after the reload.
 */
export function openVoiceRecordings(db: Database): Catalog['recordingOf'] {
  const kept = new LRUCache<string, Uint8Array>({ maxSize: MOST_BYTES, sizeCalculation: ({ length }) => length || 1 })
  return async ({ slug: endpointSlug, updatedAt }, slug) => {
    const key = `${endpointSlug}/${slug}/${updatedAt?.getTime()}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const row = await db.prisma.voice.findUnique({
      where: { endpointSlug_slug: { endpointSlug, slug } },
      select: { referenceAudio: true },
    })
    const recording = row?.referenceAudio ?? null
    if (recording !== null && updatedAt !== undefined) kept.set(key, recording)
    return recording
  }
}
