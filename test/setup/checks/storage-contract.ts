import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'

const BAD_KEYS = [
  '',
  '/',
  '/etc/passwd',
  '../up',
  'a/../../up',
  'a//b',
  'a/',
  './a',
  'a/.hidden',
  'A',
  'a b',
  'a\\b',
  'a\0',
]
const WAV = { contentType: 'audio/wav' }

/** The contract of every Storage implementation. `open` gives an empty or a shared store; its owner removes the content. */
export function describeStorage(name: string, open: () => Storage | Promise<Storage>): void {
  describe(`${name} as a storage`, () => {
    let storage: Storage
    beforeAll(async () => {
      storage = await open()
    })
    describeContents(() => storage)
    describeFailures(() => storage)
    describeUrls(() => storage)
  })
}

const newKey = () => `job_${randomUUID()}/audio.wav`

async function contentOf(storage: Storage, key: string): Promise<Buffer> {
  return buffer(await storage.read(key))
}

function describeContents(storage: () => Storage): void {
  test('bytes come back as they were put, with their length and SHA-256', async () => {
    const [key, bytes] = [newKey(), randomBytes(1000)]
    const stored = await storage().put(key, bytes, WAV)
    expect(stored.bytes).toBe(1000)
    expect(Buffer.from(stored.sha256)).toEqual(createHash('sha256').update(bytes).digest())
    expect((await storage().stat(key))?.bytes).toBe(1000)
    expect(await contentOf(storage(), key)).toEqual(bytes)
  })

  test('a stream is stored as the concatenation of its chunks', async () => {
    const [key, bytes] = [newKey(), randomBytes(300_000)]
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 200_000), bytes.subarray(200_000)]
    const stored = await storage().put(key, Readable.from(chunks), WAV)
    expect(stored.bytes).toBe(300_000)
    expect(Buffer.from(stored.sha256)).toEqual(createHash('sha256').update(bytes).digest())
    expect((await contentOf(storage(), key)).equals(bytes)).toBe(true)
  })

  test('an empty content is something, not nothing', async () => {
    const key = newKey()
    expect((await storage().put(key, new Uint8Array(0), WAV)).bytes).toBe(0)
    expect((await storage().stat(key))?.bytes).toBe(0)
    expect((await contentOf(storage(), key)).length).toBe(0)
  })

  test('a range includes both its ends', async () => {
    const key = newKey()
    await storage().put(key, Buffer.from('0123456789'), WAV)
    expect((await buffer(await storage().read(key, { start: 2, end: 4 }))).toString()).toBe('234')
    expect((await buffer(await storage().read(key, { start: 9, end: 9 }))).toString()).toBe('9')
  })

  test('putting the same key again replaces the whole content', async () => {
    const key = newKey()
    await storage().put(key, Buffer.from('a longer first content'), WAV)
    await storage().put(key, Buffer.from('short'), WAV)
    expect((await contentOf(storage(), key)).toString()).toBe('short')
  })

  test('a deleted key is gone, and deleting it again is fine', async () => {
    const key = newKey()
    await storage().put(key, Buffer.from('x'), WAV)
    await storage().delete(key)
    await storage().delete(key)
    expect(await storage().stat(key)).toBeNull()
  })
}

function describeFailures(storage: () => Storage): void {
  test('what is below a folder can be deleted, and nothing else is', async () => {
    const job = `job_${randomUUID()}`
    const [below, kept] = [
      [`${job}/1/audio.wav`, `${job}/1/output_1.bin`],
      [`${job}/10/audio.wav`, `${job}/2/audio.wav`, `${job}0/1/audio.wav`],
    ]
    for (const key of [...below, ...kept]) await storage().put(key, Buffer.from(key), WAV)
    await storage().deleteBelow(`${job}/1`)
    await storage().deleteBelow(`${job}/1`)
    expect(await Promise.all(below.map((key) => storage().stat(key)))).toEqual([null, null])
    for (const key of kept) expect((await contentOf(storage(), key)).toString()).toBe(key)
    await expect((async () => storage().deleteBelow('../up'))()).rejects.toThrow()
    await storage().deleteBelow(`${job}/2/audio.wav`)
    expect(await storage().stat(`${job}/2/audio.wav`)).not.toBeNull()
  })

  test('a key that was never put has no size and cannot be read', async () => {
    expect(await storage().stat(newKey())).toBeNull()
    await expect(storage().read(newKey())).rejects.toThrow()
  })

  test('a source that breaks off stores nothing', async () => {
    const key = newKey()
    await expect(storage().put(key, brokenSource(), WAV)).rejects.toThrow('the source broke')
    expect(await storage().stat(key)).toBeNull()
  })

  test('a source that is destroyed in silence stores nothing', async () => {
    const key = newKey()
    const source = new Readable({ read: () => {} })
    source.push(randomBytes(10))
    source.once('data', () => source.destroy())
    await expect(storage().put(key, source, WAV)).rejects.toThrow()
    expect(await storage().stat(key)).toBeNull()
  })

  test('a replacement that fails leaves the old content', async () => {
    const key = newKey()
    await storage().put(key, Buffer.from('old'), WAV)
    await expect(storage().put(key, brokenSource(), WAV)).rejects.toThrow('the source broke')
    expect((await contentOf(storage(), key)).toString()).toBe('old')
  })

  test.each(BAD_KEYS)('the key %j is refused by every method', async (key) => {
    await expect(storage().put(key, Buffer.from('x'), WAV)).rejects.toThrow()
    await expect((async () => storage().stat(key))()).rejects.toThrow()
    await expect((async () => storage().read(key))()).rejects.toThrow()
    await expect((async () => storage().delete(key))()).rejects.toThrow()
    await expect((async () => storage().signUrl(key, { ...WAV, now: new Date() }))()).rejects.toThrow()
  })
}

function describeUrls(storage: () => Storage): void {
  test('a signed URL is absolute, names the key and differs for another key, type or time', async () => {
    const now = new Date('2026-01-31T09:05:00Z')
    const [one, other] = [newKey(), newKey()]
    const url = await storage().signUrl(one, { ...WAV, now })
    expect(new URL(url).pathname).toContain(one)
    expect(await storage().signUrl(one, { ...WAV, now })).toBe(url)
    const others = await Promise.all([
      storage().signUrl(other, { ...WAV, now }),
      storage().signUrl(one, { contentType: 'audio/mpeg', now }),
      storage().signUrl(one, { ...WAV, now: new Date(now.getTime() + 60_000) }),
    ])
    expect(new Set([url, ...others]).size).toBe(4)
  })
}

function brokenSource(): Readable {
  return Readable.from(
    (async function* () {
      yield randomBytes(100_000)
      throw new Error('the source broke')
    })(),
  )
}
