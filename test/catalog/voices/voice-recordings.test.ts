import { expect, test } from 'vitest'
import { openVoiceRecordings } from '../../../src/catalog/catalog-cache.ts'
import type { VoiceEndpoint } from '../../../src/context/catalog-snapshot.ts'
import type { Database } from '../../../src/db/database.ts'

const MEBIBYTE = 1024 ** 2

/** A database of recordings alone, which counts how often one is read. */
function databaseOf(recordings: Map<string, Uint8Array | null>) {
  const reads: string[] = []
  const findUnique = async ({ where }: { where: { endpointSlug_slug: { endpointSlug: string; slug: string } } }) => {
    const name = Object.values(where.endpointSlug_slug).join('/')
    reads.push(name)
    const referenceAudio = recordings.get(name)
    await new Promise((resolve) => setImmediate(resolve))
    return referenceAudio === undefined ? null : { referenceAudio }
  }
  return { db: { prisma: { voice: { findUnique } } } as unknown as Database, reads }
}
const appliedAt = (time: number, slug = 'clone') => ({ slug, updatedAt: new Date(time) }) as VoiceEndpoint

test('a recording is read once for each time that its endpoint was applied, and never for another voice', async () => {
  const recordings = new Map<string, Uint8Array>([
    ['clone/host', Uint8Array.of(1)],
    ['clone/guest', Uint8Array.of(2)],
    ['other/host', Uint8Array.of(3)],
  ])
  const { db, reads } = databaseOf(recordings)
  const recordingOf = openVoiceRecordings(db)
  const bytes = async (endpoint: VoiceEndpoint, slug: string) => [...((await recordingOf(endpoint, slug)) ?? [])]
  for (const _ of [1, 2])
    expect([
      await bytes(appliedAt(1), 'host'),
      await bytes(appliedAt(1), 'guest'),
      await bytes(appliedAt(1, 'other'), 'host'),
    ]).toEqual([[1], [2], [3]])
  expect(reads).toEqual(['clone/host', 'clone/guest', 'other/host'])
  recordings.set('clone/host', Uint8Array.of(4))
  expect(await bytes(appliedAt(2), 'host')).toEqual([4])
  expect(reads.length).toBe(4)
})

test('jobs that come at the same time share one reading, also one that fails', async () => {
  const { db, reads } = databaseOf(new Map([['clone/host', Uint8Array.of(1)]]))
  const recordingOf = openVoiceRecordings(db)
  const all = await Promise.all(Array.from({ length: 20 }, () => recordingOf(appliedAt(1), 'host')))
  expect([new Set(all).size, reads.length]).toEqual([1, 1])
  let away = true
  const findUnique = async () => {
    if (away) throw new Error('the database is away')
    return { referenceAudio: Uint8Array.of(2) }
  }
  const late = openVoiceRecordings({ prisma: { voice: { findUnique } } } as unknown as Database)
  const failed = await Promise.allSettled([late(appliedAt(1), 'host'), late(appliedAt(1), 'host')])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  away = false
  expect(await late(appliedAt(1), 'host')).toEqual(Uint8Array.of(2))
})

test('a voice that is gone, or has no recording, is looked for again', async () => {
  const recordings = new Map<string, Uint8Array | null>([['clone/mute', null]])
  const { db } = databaseOf(recordings)
  const recordingOf = openVoiceRecordings(db)
  expect([await recordingOf(appliedAt(1), 'mute'), await recordingOf(appliedAt(1), 'gone')]).toEqual([null, null])
  recordings.set('clone/gone', Uint8Array.of(5))
  expect(await recordingOf(appliedAt(1), 'gone')).toEqual(Uint8Array.of(5))
})

test('recordings of many voices are kept within their bytes, the last ones, and one that is too long is not kept', async () => {
  const slugs = Array.from({ length: 40 }, (_, at) => `voice-${at}`)
  const { db, reads } = databaseOf(
    new Map([
      ...slugs.map((slug) => [`clone/${slug}`, new Uint8Array(MEBIBYTE)] as const),
      ['clone/long', new Uint8Array(33 * MEBIBYTE)],
    ]),
  )
  const recordingOf = openVoiceRecordings(db)
  const readsOf = async (slug: string) => {
    const before = reads.length
    expect(await recordingOf(appliedAt(1), slug)).not.toBeNull()
    return reads.length - before
  }
  for (const slug of slugs) expect(await readsOf(slug)).toBe(1)
  expect([await readsOf(slugs.at(-1)!), await readsOf(slugs.at(-32)!), await readsOf(slugs[0]!)]).toEqual([0, 0, 1])
  expect([await readsOf('long'), await readsOf('long'), await readsOf(slugs.at(-1)!)]).toEqual([1, 1, 0])
})
