import { LRUCache } from 'lru-cache'
import type { Catalog } from '../../context/catalog-snapshot.ts'
import type { Database } from '../../db/database.ts'

const MOST_BYTES = 32 * 1024 ** 2

/** Caches recordings of endpoint voices by the time of application; concurrent readers share one read. */
export function openVoiceRecordings(db: Database): Catalog['recordingOf'] {
  const kept = new LRUCache<string, Uint8Array>({ maxSize: MOST_BYTES, sizeCalculation: ({ length }) => length || 1 })
  const underWay = new Map<string, Promise<Uint8Array | null>>()
  const read = async (key: string | null, endpointSlug: string, slug: string): Promise<Uint8Array | null> => {
    const row = await db.prisma.voice.findUnique({
      where: { endpointSlug_slug: { endpointSlug, slug } },
      select: { referenceAudio: true },
    })
    const recording = row?.referenceAudio ?? null
    if (recording !== null && key !== null) kept.set(key, recording)
    return recording
  }
  return async ({ slug: endpointSlug, updatedAt }, slug) => {
    if (updatedAt === undefined) return read(null, endpointSlug, slug)
    const key = `${endpointSlug}/${slug}/${updatedAt.getTime()}`
    const known = kept.get(key) ?? underWay.get(key)
    if (known !== undefined) return known
    const reading = read(key, endpointSlug, slug).finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return reading
  }
}
